import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { AuditLine } from "../../src/audit/audit-line.ts";
import { readAudit, type AuditQuestion } from "../../src/audit/read-audit.ts";
import { createAuditTrail, type AuditSettings } from "../../src/audit/write-audit.ts";
import { createLogger } from "../../src/logger.ts";
import { createBotWorld, PEOPLE, type BotWorld } from "../fakes/bot-world.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";

const { alice, bob, carol } = PEOPLE;

function exampleLine(overrides: Partial<AuditLine> = {}): AuditLine {
  return {
    at: "2026-12-01T10:00:00.000Z",
    answer_id: "a1",
    user: "U0ALICE",
    channel: "C0INCIDENT",
    thread: null,
    kind: "command",
    outcome: "answered",
    shown_to: "everyone",
    services: ["checkout-api"],
    sources: ["checkout/pool"],
    policy: "p1",
    index: "i1",
    ...overrides,
  };
}

function createTrail(settings: Partial<AuditSettings> = {}) {
  const directory = settings.directory ?? temporaryDirectory();
  const log = createLogger("silent");
  return { directory, trail: createAuditTrail({ mode: "required", keepDays: 400, log, directory, ...settings }) };
}

async function ask(directory: string, question: Partial<AuditQuestion> = {}) {
  let broken = 0;
  const lines: AuditLine[] = [];
  const asked = { source: null, user: null, since: 0, ...question };
  for await (const line of readAudit(directory, asked, () => (broken += 1))) lines.push(line);
  return { lines, broken };
}

const linesOf = ({ dataDir }: BotWorld) =>
  readFileSync(join(dataDir, "audit.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as AuditLine);

describe("the audit trail", () => {
  it("keeps lines that only their owner may read, and answers who saw what", async () => {
    const { directory, trail } = createTrail();

    await trail.record([exampleLine(), exampleLine({ user: "U0BOB", sources: ["checkout/pool-2", "payments/a"] })]);
    await trail.record([exampleLine({ at: "2026-12-03T00:00:00.000Z", answer_id: "a2" })]);

    expect(statSync(join(directory, "audit.jsonl")).mode & 0o777).toBe(0o600);
    expect((await ask(directory, { source: "checkout/pool" })).lines.map(({ answer_id: id }) => id)).toEqual([
      "a1",
      "a2",
    ]);
    expect((await ask(directory, { source: "payments/a" })).lines.map(({ user }) => user)).toEqual(["U0BOB"]);
    expect((await ask(directory, { user: "U0ALICE", since: Date.parse("2026-12-02") })).lines).toHaveLength(1);
  });

  it("rotates by size and by age, deletes what is too old, and reads on across the files", async () => {
    let clock = Date.parse("2026-12-01T10:00:00Z");
    const { directory, trail } = createTrail({ maxBytes: 600, keepDays: 60, now: () => clock });
    const at = () => new Date(clock).toISOString();
    const files = () => readdirSync(directory).toSorted();

    for (let number = 0; number < 4; number += 1) await trail.record([exampleLine({ at: at() })]);
    expect(files()).toEqual(["audit-20261201T100000000Z.jsonl", "audit.jsonl"]);
    clock += 31 * 24 * 3_600_000;
    await trail.record([exampleLine({ at: at() })]);
    expect(files()).toHaveLength(3);
    expect((await ask(directory)).lines).toHaveLength(5);

    clock += 40 * 24 * 3_600_000;
    await trail.record([exampleLine({ at: at() })]);
    expect(files()).toEqual(["audit-20270101T100000000Z.jsonl", "audit-20270210T100000000Z.jsonl", "audit.jsonl"]);
  });

  it("loses no line when many replies are posted at once", async () => {
    const { directory, trail } = createTrail({ maxBytes: 3000 });

    const written = Array.from({ length: 60 }, (_, number) => trail.record([exampleLine({ answer_id: `a${number}` })]));
    await Promise.all(written);

    const { lines, broken } = await ask(directory);
    expect(new Set(lines.map(({ answer_id: id }) => id)).size).toBe(60);
    expect(broken).toBe(0);
  });

  it("counts a line that a crash cut short, and goes on", async () => {
    const { directory, trail } = createTrail();
    writeFileSync(join(directory, "audit.jsonl"), '{"at":"2026-12-01T10:0\n');

    await trail.record([exampleLine()]);

    expect(await ask(directory)).toMatchObject({ lines: [{ answer_id: "a1" }], broken: 1 });
  });

  it("writes nothing when it is off", async () => {
    const { directory, trail } = createTrail({ mode: "off" });

    await trail.record([exampleLine()]);

    expect(readdirSync(directory)).toEqual([]);
  });
});

describe("what the bot records", () => {
  it("says who asked where, what they were allowed and what was shown to whom, and no word of the texts", async () => {
    const world = await createBotWorld();
    const { slack } = world;

    await slack.type(alice, "C0INCIDENT", "checkout pool connections exhausted");
    await slack.waitFor(() => slack.posted.length === 2);
    await slack.type(carol, "C0INCIDENT", "ledger drift of payments");
    await slack.waitFor(() => slack.posted.length === 3);
    await slack.say(bob, "D0BOB", "the coffee machine is broken");
    await slack.waitFor(() => slack.posted.length === 4);

    const [shared, alone, nothing] = linesOf(world);
    expect(shared).toMatchObject({
      user: alice,
      channel: "C0INCIDENT",
      kind: "command",
      outcome: "answered",
      shown_to: "everyone",
      services: ["checkout-api", "status-page"],
      sources: ["checkout/pool"],
      index: expect.stringMatching(/./),
      policy: expect.stringMatching(/^[0-9a-f]{12}$/),
    });
    expect(alone).toMatchObject({ user: carol, shown_to: "asker", sources: ["payments/ledger-drift"] });
    expect(alone?.services).toContain("payments");
    expect(nothing).toMatchObject({ user: bob, outcome: "no_match", sources: [], services: ["status-page"] });
    expect(JSON.stringify(linesOf(world))).not.toMatch(/exhausted|coffee|checkoutctl|Reconcile/);
  });

  it("has the line on disk before anything stands in Slack", async () => {
    const world = await createBotWorld();
    world.slack.fault("chat.postMessage", { kind: "delay", ms: 700 });

    await world.slack.say(carol, "D0CAROL", "ledger drift of payments");
    await world.slack.waitFor(() => existsSync(join(world.dataDir, "audit.jsonl")));

    expect(linesOf(world)).toHaveLength(1);
    expect(world.slack.posted).toEqual([]);
  });

  it.each([
    ["required", /^Something went wrong and I could not answer/],
    ["best-effort", /payctl/],
  ] as const)("with AUDIT=%s and a disk that takes nothing, posts what it may", async (mode, expected) => {
    const directory = join(temporaryDirectory(), "closed");
    mkdirSync(directory);
    // A folder in the file's place: nobody can write to it, root neither.
    mkdirSync(join(directory, "audit.jsonl"));
    chmodSync(directory, 0o500);
    const world = await createBotWorld({ audit: { mode, directory } });

    await world.slack.say(carol, "D0CAROL", "ledger drift of payments");
    await world.slack.waitFor(() => world.slack.posted.length > 0);

    expect(world.slack.posted.map(({ text }) => text).join()).toMatch(expected);
    expect(world.logged()).toContain('"alarm":"audit_failed"');
  });

  it("records one line for a reply that Slack takes only at the second attempt", async () => {
    const world = await createBotWorld();
    world.slack.fault("chat.postMessage", { kind: "ratelimited", retryAfter: 1 });

    await world.slack.say(carol, "D0CAROL", "ledger drift of payments");
    await world.slack.waitFor(() => world.slack.posted.length > 0);

    expect(linesOf(world)).toHaveLength(1);
  });
});
