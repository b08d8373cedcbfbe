import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import type { AccessPolicy } from "../../src/access/access-policy.ts";
import { servicesOfPrincipal } from "../../src/access/audience.ts";
import { watchAccessFile, type WatchSettings } from "../../src/access/watch-access-file.ts";
import { createLogger } from "../../src/logger.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";

const GOOD = `services:
  checkout: { owner: commerce, runbooks: ["checkout/*.md"], readers: [oncall, U0ALICE] }
  payments: { owner: commerce, runbooks: ["payments/*.md"], readers: [oncall] }
groups:
  commerce: { members: [U0CAROL] }
  oncall: { members: [U0BOB, U0CAROL], slack_usergroup: S0ONCALL }
channels:
  C0PAY: { services: [payments, checkout], watch: true, answer_alerts_from: [A0ALERTS] }
admins: [commerce]
`;
/** A mistake that has nothing to do with who may read what. */
const withMistake = (text: string) => text.replace("admins: [commerce]", "admins: [nobody]");

function watched(files: Record<string, string>, settings: Partial<WatchSettings> = {}) {
  const directory = temporaryDirectory();
  const path = join(directory, "access.yaml");
  const write = (name: string, text: string) => {
    mkdirSync(join(directory, name, ".."), { recursive: true });
    writeFileSync(join(directory, name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  const log = createLogger("silent");
  const logged: { event: string; fields: Record<string, unknown> }[] = [];
  for (const level of ["info", "error", "fatal"] as const) {
    log[level] = ((fields: Record<string, unknown>, event: string) => logged.push({ event, fields })) as never;
  }
  const access = watchAccessFile(path, { log, pollMs: 50, settleMs: 20, ...settings });
  onTestFinished(() => access.stop());
  return { access, directory, path, write, logged };
}

const may = (policy: AccessPolicy, userId: string, ...usergroups: string[]) =>
  [...servicesOfPrincipal(policy, { userId, standing: "member", usergroups: new Set(usergroups) })].toSorted();

async function until(holds: () => boolean, timeoutMs = 5000): Promise<void> {
  const started = performance.now();
  while (!holds()) {
    if (performance.now() - started > timeoutMs) throw new Error("what the test waits for did not come");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe("a watched access file", () => {
  it("makes a good edit live, whichever way it is written", async () => {
    const { access, directory, path, write } = watched({ "access.yaml": GOOD });
    const opened = (user: string) => GOOD.replace("readers: [oncall]", `readers: [oncall, ${user}]`);

    write("access.yaml", opened("U0ONE"));
    await until(() => may(access.current(), "U0ONE").length === 1);
    write("next.yaml", opened("U0TWO"));
    renameSync(join(directory, "next.yaml"), path);
    await until(() => may(access.current(), "U0TWO").length === 1);

    expect(may(access.current(), "U0ONE")).toEqual([]);
    expect(access.status().state).toBe("good");
  });

  it("is live within five seconds with nothing but its usual settings", async () => {
    const { access, write } = watched({ "access.yaml": GOOD }, { pollMs: 2000, settleMs: 300 });

    write("access.yaml", GOOD.replace("[oncall, U0ALICE]", "[oncall]"));

    await until(() => may(access.current(), "U0ALICE").length === 0, 5000);
  });

  it("follows the link that Kubernetes swaps under a ConfigMap", async () => {
    const directory = temporaryDirectory();
    const publish = (name: string, text: string) => {
      mkdirSync(join(directory, name));
      writeFileSync(join(directory, name, "access.yaml"), text);
      symlinkSync(name, join(directory, "..data_tmp"));
      renameSync(join(directory, "..data_tmp"), join(directory, "..data"));
    };
    publish("..2026_12_01", GOOD);
    symlinkSync("..data/access.yaml", join(directory, "access.yaml"));
    const settings = { log: createLogger("silent"), pollMs: 50, settleMs: 20 };
    const access = watchAccessFile(join(directory, "access.yaml"), settings);
    onTestFinished(() => access.stop());

    publish("..2026_12_02", GOOD.replace("[oncall, U0ALICE]", "[oncall]"));

    await until(() => may(access.current(), "U0ALICE").length === 0);
  });

  it("reads parts beside it, and follows them", async () => {
    const part = `services: { search: { owner: commerce, runbooks: ["search/*.md"], readers: [U0DAN] } }\n`;
    const { access, write } = watched({ "access.yaml": GOOD, "access.d/search.yaml": part });
    expect(may(access.current(), "U0DAN")).toEqual(["search"]);

    write("access.d/search.yaml", part.replace("U0DAN", "U0EVE"));

    await until(() => may(access.current(), "U0EVE").length === 1);
    expect(may(access.current(), "U0DAN")).toEqual([]);
  });

  it("keeps the last good policy after a bad edit, and tells places without names", async () => {
    const { access, write, logged } = watched({ "access.yaml": GOOD });
    const before = may(access.current(), "U0BOB");

    write("access.yaml", withMistake(GOOD));
    await until(() => access.status().state === "narrowed");

    expect(may(access.current(), "U0BOB")).toEqual(before);
    expect(access.status().problems.join()).toMatch(/"nobody" is no group/);
    const refused = logged.find(({ event }) => event === "policy_refused");
    expect(refused?.fields).toMatchObject({ alarm: "policy_bad", problems: 1 });
    expect(JSON.stringify(logged)).not.toMatch(/nobody|checkout|payments/);
  });

  it.each([
    ["a reader", "[oncall, U0ALICE]", "[oncall]", "U0ALICE", []],
    ["a service", /\n {2}payments:.*/, "", "U0BOB", ["checkout"]],
    ["a group's member", "[U0BOB, U0CAROL]", "[U0CAROL]", "U0BOB", []],
    ["a group", /\n {2}oncall:.*/, "", "U0BOB", []],
    ["the list of readers", "readers: [oncall]", "readers: null", "U0BOB", ["checkout"]],
  ] as const)("withdraws %s that a bad edit takes out", async (_what, from, to, user, left) => {
    const { access, write } = watched({ "access.yaml": GOOD });

    write("access.yaml", withMistake(GOOD.replace(from, to)));
    await until(() => access.status().state === "narrowed");

    expect(may(access.current(), user)).toEqual(left);
  });

  it("withdraws a Slack user group, a channel's service, its alerts and admins in the same way", async () => {
    const { access, write } = watched({ "access.yaml": GOOD });
    expect(may(access.current(), "U0DAN", "S0ONCALL")).toEqual(["checkout", "payments"]);
    const edit = GOOD.replace("S0ONCALL", "S0OTHER").replace("[payments, checkout]", "[checkout]");

    write("access.yaml", withMistake(edit.replace("watch: true", "watch: false")));
    await until(() => access.status().state === "narrowed");

    expect(may(access.current(), "U0DAN", "S0ONCALL", "S0OTHER")).toEqual([]);
    expect(access.current().channels.get("C0PAY")).toMatchObject({ services: ["checkout"], answerAlertsFrom: [] });
    expect(access.current().admins).toEqual([]);
  });

  it("gives a runbook to nobody when a bad edit moves it to another service", async () => {
    const { access, write } = watched({ "access.yaml": GOOD });

    write("access.yaml", withMistake(GOOD.replace("payments/*.md", "payments/a*.md")));
    await until(() => access.status().state === "narrowed");

    expect(access.current().serviceOfPath("payments/a.md")).toBe("payments");
    expect(access.current().serviceOfPath("payments/b.md")).toBeNull();
  });

  it("grants nothing that a bad edit adds", async () => {
    const { access, write } = watched({ "access.yaml": GOOD });
    const edit = GOOD.replace("readers: [oncall]", "readers: [oncall, U0EVE, everyone]");

    write("access.yaml", withMistake(edit.replace("[U0BOB, U0CAROL]", "[U0BOB, U0CAROL, U0EVE]")));
    await until(() => access.status().state === "narrowed");

    expect(may(access.current(), "U0EVE")).toEqual([]);
    expect(may(access.current(), "U0BOB")).toEqual(["checkout", "payments"]);
  });

  it("closes a service that two files give, until one of them is mended", async () => {
    const { access, write } = watched({ "access.yaml": GOOD });

    write(
      "access.d/twin.yaml",
      `services: { payments: { owner: commerce, runbooks: ["p/*.md"], readers: [U0EVE] } }\n`,
    );
    await until(() => access.status().state === "narrowed");

    expect(may(access.current(), "U0BOB")).toEqual(["checkout"]);
    expect(access.status().problems.join()).toMatch(/access\.d\/twin\.yaml:1: .*access\.yaml:3 already/);
  });

  it("takes out of a text that is no YAML whoever is not named in it any more", async () => {
    const { access, write } = watched({ "access.yaml": GOOD });

    write("access.yaml", `${GOOD.replace("[oncall, U0ALICE]", "[oncall]")}\n  [`);
    await until(() => access.status().state === "unreadable");

    expect(may(access.current(), "U0ALICE")).toEqual([]);
    expect(may(access.current(), "U0BOB")).toEqual(["checkout", "payments"]);
  });

  it("keeps withdrawn what one bad edit took, when the next one can't be read at all", async () => {
    const { access, write } = watched({ "access.yaml": GOOD });
    write("access.yaml", withMistake(GOOD.replace("readers: [oncall]", "readers: []")));
    await until(() => access.status().state === "narrowed");

    write("access.yaml", `${GOOD}\n  [`);
    await until(() => access.status().state === "unreadable");

    expect(may(access.current(), "U0BOB")).toEqual(["checkout"]);
  });

  it.each([
    ["is no YAML", (path: string) => writeFileSync(path, `${GOOD}\n  [`)],
    ["is empty", (path: string) => writeFileSync(path, "")],
    ["is gone", (path: string) => rmSync(path)],
  ])(
    "closes everything when the file %s for a quarter of an hour, and opens with the next good one",
    async (_what, spoil) => {
      let clock = 0;
      const { access, path, write, logged } = watched({ "access.yaml": GOOD }, { now: () => clock });
      spoil(path);
      await until(() => access.status().state === "unreadable");
      expect(may(access.current(), "U0BOB")).toEqual(["checkout", "payments"]);

      clock = 15 * 60_000;
      await until(() => access.status().state === "closed");
      expect(may(access.current(), "U0BOB")).toEqual([]);
      expect(logged.some(({ fields }) => fields["alarm"] === "policy_closed")).toBe(true);

      write("access.yaml", GOOD);
      await until(() => access.status().state === "good");
      expect(may(access.current(), "U0BOB")).toEqual(["checkout", "payments"]);
    },
  );

  it("says that a change of paths needs a reindex", async () => {
    const { write, logged } = watched({ "access.yaml": GOOD });

    write("access.yaml", GOOD.replace("payments/*.md", "pay/*.md"));
    await until(() => logged.length > 0);

    expect(logged[0]).toMatchObject({ event: "policy_changed", fields: { next: "npm run reindex" } });
  });

  it("refuses to start with a bad file", () => {
    expect(() => watched({ "access.yaml": withMistake(GOOD) })).toThrow(/"nobody" is no group/);
  });
});
