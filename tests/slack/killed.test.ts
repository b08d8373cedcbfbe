import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { PEOPLE } from "../fakes/bot-world.ts";
import { createProcessWorld } from "../fakes/bot-process.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";

const { alice } = PEOPLE;
const POOL = "checkout pool exhausted, connections refused";
const READY = '"ready"';
/** Slack tries for minutes; here until a bot runs that is not killed at once. */
const PATIENT = { retryDelaysMs: Array.from({ length: 300 }, () => 300) };
/** After the questions: before anything is accepted, while it is answered, posted, and between two posts of a channel. */
const KILLS_AFTER_MS = [0, 10, 40, 90, 200, 450, 1080, 1500];

describe("killed at any moment", { timeout: 180_000 }, () => {
  it("answers each question exactly once", async () => {
    const { slack, start } = await createProcessWorld(PATIENT);
    const mentions: Promise<{ ts: string }>[] = [];
    const commands: { text: string; acknowledged: Promise<boolean> }[] = [];

    for (const [round, killAfterMs] of KILLS_AFTER_MS.entries()) {
      const bot = await start();
      await bot.saying(READY);
      mentions.push(
        slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}, case ${round}`),
        slack.say(alice, "D0ALICE", `${POOL}, case ${round}`),
      );
      const text = `${POOL}, command ${round}.`;
      const typed = slack.type(alice, "C0PAY", "/runbook", text, { noRetries: true });
      commands.push({ text, acknowledged: typed.then(({ acknowledged }) => acknowledged) });
      await sleep(killAfterMs);
      await bot.kill();
    }
    const last = await start();
    await last.saying(READY);
    const asked = await Promise.all(mentions);
    const replies = ({ ts }: { ts: string }) => slack.posted.filter((reply) => reply.thread_ts === ts);
    await slack.waitFor(() => asked.every((question) => replies(question).length > 0), 60_000);
    await slack.settle(4000);

    expect(asked.map((question) => replies(question).length)).toEqual(asked.map(() => 1));
    for (const { text, acknowledged } of commands) {
      const roots = slack.posted.filter((message) => readAsPerson(message).endsWith(text));
      expect(roots.length).toBeLessThanOrEqual(1);
      // Slack tells the person when a command was not taken, and does not deliver it again.
      if (await acknowledged) expect(roots).toHaveLength(1);
      for (const root of roots) expect(replies(root)).toHaveLength(1);
    }
    expect(slack.violations).toEqual([]);
  });
});

describe("started again too late", { timeout: 60_000 }, () => {
  it("apologises to the person alone, and once", async () => {
    const { slack, start } = await createProcessWorld(PATIENT);
    slack.fault("chat.postMessage", { kind: "delay", ms: 3000 });
    slack.fault("users.info", { kind: "delay", ms: 2000, times: 2 });
    const first = await start();
    await first.saying(READY);
    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await first.kill();

    const second = await start({ ANSWER_WITHIN_MINUTES: "0.001" });
    await second.saying("too_late");
    await second.kill("SIGTERM");
    const third = await start();
    await third.saying(READY);
    await slack.settle(1500);

    expect(slack.posted).toHaveLength(1);
    expect(slack.posted[0]).toMatchObject({ visibleTo: alice });
    expect(slack.posted[0]?.text).toMatch(/^Sorry, I was not able to answer your question in time/);
  });
});

describe("a second bot on the same data", { timeout: 60_000 }, () => {
  it("stands by, says whose turn it is, and takes over when that one is gone", async () => {
    const { slack, start } = await createProcessWorld(PATIENT);
    const first = await start();
    await first.saying(READY);
    const second = await start();
    await second.saying("standing_by");

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 1);
    await first.kill();
    await second.saying(READY);
    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL} again`);
    await slack.waitFor(() => slack.posted.length === 2);
    await slack.settle(1500);

    expect(second.output()).toMatch(/"leader":"process \d+ on /);
    expect(slack.posted).toHaveLength(2);
  });
});
