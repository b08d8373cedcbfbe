import { describe, expect, it } from "vitest";

import { audienceFor, servicesOfPrincipal, type Place, type Principal } from "../../src/access/audience.ts";
import { parseAccessFile } from "../../src/access/read-access-file.ts";

const policy = parseAccessFile(
  `services:
  checkout-api: { owner: commerce, runbooks: ["a/*.md"], readers: [oncall] }
  payments: { owner: payments-core, runbooks: ["b/*.md"], readers: [payments-oncall] }
  status: { owner: commerce, runbooks: ["c/*.md"], readers: [everyone, U0GUEST] }
  sealed: { owner: commerce, runbooks: ["d/*.md"], readers: [] }
groups:
  oncall: { slack_usergroup: S0ONCALL }
  payments-oncall: { members: [U0CAROL] }
  commerce: { members: [U0CAROL] }
  payments-core: { members: [U0DAN] }
channels:
  C0INCIDENT: { services: [checkout-api] }
  C0PAY: { services: [payments, checkout-api] }
  C0NONE: { services: [] }
`,
  "access.yaml",
);

const member = (userId: string, ...usergroups: string[]): Principal => ({
  userId,
  standing: "member",
  usergroups: new Set(usergroups),
});
const ALICE = member("U0ALICE", "S0ONCALL");
const CAROL = member("U0CAROL", "S0ONCALL");
const BOB = member("U0BOB");
const channel = (channelId: string, shared = false): Place => ({ channelId, kind: "channel", shared, members: null });
const DIRECT: Place = { channelId: "D0X", kind: "direct_message", shared: false, members: null };

function names(caller: Principal | null, place: Place) {
  const { shared, caller: alone } = audienceFor(policy, caller, place);
  return { shared: [...shared].toSorted(), caller: [...alone].toSorted() };
}

describe("who may see what", () => {
  it("lets members see what their groups, their own id and everyone open", () => {
    expect([...servicesOfPrincipal(policy, CAROL)].toSorted()).toEqual(["checkout-api", "payments", "status"]);
    expect([...servicesOfPrincipal(policy, BOB)]).toEqual(["status"]);
  });

  it.each(["guest", "foreign"] as const)("lets a %s see only what names them", (standing) => {
    const named: Principal = { userId: "U0GUEST", standing, usergroups: new Set(["S0ONCALL"]) };
    const other: Principal = { userId: "U0OTHER", standing, usergroups: new Set(["S0ONCALL"]) };

    expect([...servicesOfPrincipal(policy, named)]).toEqual(["status"]);
    expect([...servicesOfPrincipal(policy, other)]).toEqual([]);
  });

  it("lets an unknown person see nothing, whatever names them", () => {
    expect([...servicesOfPrincipal(policy, { ...CAROL, standing: "unknown" })]).toEqual([]);
  });

  it("opens a service without readers to nobody", () => {
    for (const person of [ALICE, BOB, CAROL]) expect(servicesOfPrincipal(policy, person).has("sealed")).toBe(false);
  });

  it("shows a channel what the caller and the channel may both see, and the caller the rest", () => {
    expect(names(CAROL, channel("C0INCIDENT"))).toEqual({
      shared: ["checkout-api", "status"],
      caller: ["checkout-api", "payments", "status"],
    });
  });

  it("does not lend the channel's right to the caller", () => {
    expect(names(ALICE, channel("C0PAY")).shared).toEqual(["checkout-api", "status"]);
    expect(names(BOB, channel("C0PAY"))).toEqual({ shared: ["status"], caller: ["status"] });
  });

  it("shows an unlisted internal channel the services of everyone", () => {
    expect(names(CAROL, channel("C0RANDOM")).shared).toEqual(["status"]);
    expect(names(CAROL, channel("C0NONE")).shared).toEqual(["status"]);
  });

  it("shows a shared channel only what is listed for it by name", () => {
    expect(names(CAROL, channel("C0SHARED", true)).shared).toEqual([]);
    expect(names(CAROL, channel("C0INCIDENT", true)).shared).toEqual(["checkout-api"]);
  });

  it("answers an alert from the channel's services, and nobody alone", () => {
    expect(names(null, channel("C0INCIDENT"))).toEqual({ shared: ["checkout-api", "status"], caller: [] });
    expect(names(null, channel("C0SHARED", true)).shared).toEqual([]);
  });

  it("shows a direct message what its one reader may see", () => {
    expect(names(CAROL, DIRECT).shared).toEqual(["checkout-api", "payments", "status"]);
  });

  it("shows a group message what every member may see", () => {
    const group = (members: Principal[] | null): Place => ({ ...DIRECT, kind: "group_direct_message", members });

    expect(names(CAROL, group([CAROL, ALICE])).shared).toEqual(["checkout-api", "status"]);
    expect(names(CAROL, group([CAROL, BOB])).shared).toEqual(["status"]);
    expect(names(CAROL, group([CAROL, { ...BOB, standing: "unknown" }])).shared).toEqual([]);
    expect(names(CAROL, group(null)).shared).toEqual(["status"]);
    expect(names(CAROL, { ...group(null), shared: true }).shared).toEqual([]);
  });
});
