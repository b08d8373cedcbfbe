import { describe, expect, it } from "vitest";

import { comparePolicies } from "../../src/access/compare-policies.ts";
import { explainChannel, explainPrincipal, explainRunbook } from "../../src/access/explain-access.ts";
import { parseAccessFile } from "../../src/access/read-access-file.ts";

const OLD = `services:
  checkout: { owner: commerce, runbooks: ["checkout/*.md"], readers: [oncall] }
  payments: { owner: commerce, runbooks: ["payments/*.md"], readers: [U0DAN] }
  status: { owner: commerce, runbooks: ["status/*.md"], readers: [everyone] }
groups:
  commerce: { members: [U0CAROL] }
  oncall: { members: [U0ALICE], slack_usergroup: S0ONCALL }
channels:
  C0PAY: { services: [payments], answer_alerts_from: [A0ALERTS] }
admins: [commerce]
`;
const policy = parseAccessFile(OLD, "old.yaml");
const PATHS = ["checkout/pool.md", "payments/ledger.md", "status/page.md"];

function compare(...edits: (readonly [string, string])[]) {
  const text = edits.reduce((source, [from, to]) => source.replace(from, to), OLD);
  const { grants, removals } = comparePolicies(policy, parseAccessFile(text, "new.yaml"), PATHS);
  const list = (changes: typeof grants) => changes.map(({ kind, what, who }) => `${kind} ${what} ${who}`);
  return { grants: list(grants), removals: list(removals) };
}

describe("what an edit opens and closes", () => {
  it("finds nothing where only the order or the glossary changes", () => {
    expect(compare(["admins: [commerce]", "admins: [commerce]\nglossary: { a: [b] }"])).toEqual({
      grants: [],
      removals: [],
    });
  });

  it("spells out what a new member of a group may read", () => {
    expect(compare(["members: [U0ALICE]", "members: [U0BOB]"])).toEqual({
      grants: ["service checkout U0BOB"],
      removals: ["service checkout U0ALICE"],
    });
  });

  it.each([
    ["everyone", ["readers: [U0DAN]", "readers: [everyone]"], "service payments everyone"],
    ["another Slack user group", ["S0ONCALL", "S0ALL"], "service checkout members of the Slack user group S0ALL"],
    ["a channel's service", ["services: [payments]", "services: [payments, checkout]"], "channel C0PAY checkout"],
    ["alerts", ["A0ALERTS]", "A0ALERTS], watch: true"], "alerts C0PAY A0ALERTS"],
    ["an admin", ["members: [U0CAROL]", "members: [U0CAROL, U0EVE]"], "admin admins U0EVE"],
    ["a glob that nothing matches yet", ['"checkout/*.md"', '"checkout/*.md", "new/*.md"'], "paths new/*.md checkout"],
  ] as const)("finds %s", (_what, edit, expected) => {
    expect(compare(edit).grants).toEqual([expected]);
  });

  it("finds a runbook that moves to a service which others read", () => {
    const moved = compare(
      ['"payments/*.md"', '"payments/x/*.md"'],
      ['"status/*.md"', '"status/*.md", "payments/*.md"'],
    );

    expect(moved.grants).toContain("runbook payments/ledger.md everyone");
    expect(moved.removals).toContain("runbook payments/ledger.md U0DAN");
  });

  it("names the line of the file that opens it", () => {
    const text = OLD.replace("readers: [U0DAN]", "readers: [U0DAN, U0EVE]");

    const [change] = comparePolicies(policy, parseAccessFile(text, "new.yaml"), PATHS).grants;

    expect(change?.at).toEqual({ path: "new.yaml", line: 3 });
  });
});

describe("why somebody may see something", () => {
  const alice = { userId: "U0ALICE", standing: "member", usergroups: new Set(["S0ONCALL"]) } as const;

  it("names every line that opens a service", () => {
    expect(explainPrincipal(policy, alice)).toEqual([
      {
        service: "checkout",
        because: [
          {
            rule: "members",
            name: "oncall",
            at: { path: "old.yaml", line: 2 },
            memberAt: { path: "old.yaml", line: 7 },
          },
          {
            rule: "slack_usergroup",
            name: "oncall",
            at: { path: "old.yaml", line: 2 },
            memberAt: { path: "old.yaml", line: 7 },
          },
        ],
      },
      {
        service: "status",
        because: [{ rule: "everyone", name: "everyone", at: { path: "old.yaml", line: 4 }, memberAt: null }],
      },
    ]);
  });

  it("names what a channel may show, and no service of everyone in a shared one", () => {
    const place = { channelId: "C0PAY", kind: "channel", shared: false, members: null } as const;

    expect(explainChannel(policy, place).map(({ service }) => service)).toEqual(["payments", "status"]);
    expect(explainChannel(policy, { ...place, shared: true })).toEqual([
      {
        service: "payments",
        because: [{ rule: "channel", name: "C0PAY", at: { path: "old.yaml", line: 9 }, memberAt: null }],
      },
    ]);
  });

  it("names who may open a runbook, and nobody for one that no service takes", () => {
    expect(explainRunbook(policy, "checkout/pool.md")).toMatchObject({
      service: "checkout",
      readers: [{ reader: "oncall", kind: "group", members: ["U0ALICE"], slackUsergroup: "S0ONCALL" }],
    });
    expect(explainRunbook(policy, "other/pool.md")).toEqual({ service: null, readers: [], channels: [] });
  });
});
