import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { readFeedback, toQuestions } from "../../src/feedback/read-feedback.ts";
import { createBotWorld, PEOPLE } from "../fakes/bot-world.ts";

const { alice, bob, carol, guest } = PEOPLE;
const POOL = "checkout pool connections exhausted";

async function answered() {
  const world = await createBotWorld({ transport: "socket" });
  await world.slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}, mail bob@example.test`);
  await world.slack.waitFor(() => world.slack.posted.length === 1);
  const reply = world.slack.posted[0]!;
  const ratings = () => readFeedback(world.dataDir, () => undefined);
  const thumb = (who: string, rating: "up" | "down") => {
    const id = /"value":"([0-9a-f]{12}):up"/.exec(JSON.stringify(reply.blocks))?.[1] ?? "";
    return world.slack.click(who, "C0INCIDENT", reply.ts, "feedback", `${id}:${rating}`);
  };
  return { ...world, reply, ratings, thumb };
}

function run(dataDir: string, script: string, ...args: string[]) {
  const path = join(import.meta.dirname, "../../scripts", script);
  const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: dataDir };
  return promisify(execFile)(process.execPath, [path, ...args], { env, cwd: dataDir });
}

describe("thumbs under an answer", () => {
  it("keep a good rating with the question and its sources, and thank", async () => {
    const { slack, thumb, ratings } = await answered();

    await thumb(alice, "up");
    await slack.waitFor(() => slack.posted.length === 2);

    expect(slack.posted[1]).toMatchObject({ visibleTo: alice, text: "Thank you, noted." });
    const [rating] = await ratings();
    expect(rating).toMatchObject({
      user: alice,
      asked_by: alice,
      rating: "up",
      reason: null,
      sources: ["checkout/pool"],
    });
    expect(rating?.text).toContain(POOL);
    expect(rating?.text).not.toContain("bob@example.test");
    expect(slack.violations).toEqual([]);
  });

  it("ask for the reason of a bad one, which then counts instead", async () => {
    const { slack, thumb, ratings } = await answered();

    await thumb(carol, "down");
    await slack.waitFor(() => slack.posted.length === 2);
    const question = slack.posted[1]!;
    await slack.click(carol, "C0INCIDENT", question.ts, "feedback_reason:1");
    await slack.waitFor(() => slack.posted.length === 3);

    expect(question.visibleTo).toBe(carol);
    expect(await ratings()).toMatchObject([{ user: carol, rating: "down", reason: "outdated" }]);
  });

  it("take nothing from who may read nothing there, and no value that no thumb carries", async () => {
    const { slack, thumb, ratings, reply, logged } = await answered();

    await thumb(guest, "down");
    for (const value of ["checkout/pool:up", `${"0".repeat(12)}:up`, "", "up"]) {
      await slack.click(bob, "C0INCIDENT", reply.ts, "feedback", value === "" ? "x" : value);
    }
    await slack.settle(1000);

    expect(await ratings()).toEqual([]);
    expect(slack.posted).toHaveLength(1);
    expect(logged().match(/"click_refused"/g)).toHaveLength(4);
  });

  it("do not stand under what is no answer", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.say(bob, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 1);

    expect(JSON.stringify(slack.posted)).not.toContain("feedback");
  });
});

describe("npm run feedback", { timeout: 30_000 }, () => {
  it("gives liked answers as labelled questions", async () => {
    const { slack, thumb, dataDir } = await answered();
    await thumb(alice, "up");
    await slack.waitFor(() => slack.posted.length === 2);

    const { stdout } = await run(dataDir, "feedback.ts", "--as-questions");

    expect(JSON.parse(stdout)).toMatchObject({ as: alice, kind: "feedback", relevant: ["checkout/pool"] });
    expect((await run(dataDir, "feedback.ts")).stdout).toBe("1 ratings: 1 good, 0 bad\n");
  });

  it("labels nothing that somebody disliked", () => {
    const line = {
      at: "2026-11-20T10:00:00.000Z",
      answer_id: "a1",
      user: alice,
      asked_by: null,
      rating: "up",
      reason: null,
      text: POOL,
      sources: ["checkout/pool"],
      index: null,
    } as const;

    expect(toQuestions([line])).toHaveLength(1);
    expect(toQuestions([line, { ...line, user: bob, rating: "down" }])).toEqual([]);
  });
});

describe("npm run forget", { timeout: 30_000 }, () => {
  it("erases a person, words and ratings, while the bot runs, and nobody else", async () => {
    const { slack, thumb, dataDir, ratings } = await answered();
    await slack.say(carol, "C0INCIDENT", `<@U0RUNBOT> ${POOL}, and carol asks`);
    await slack.waitFor(() => slack.posted.length === 2);
    await thumb(bob, "up");
    await slack.waitFor(() => slack.posted.length === 3);

    const { stdout } = await run(dataDir, "forget.ts", "--user", alice, "--json");

    expect(JSON.parse(stdout)).toEqual({
      user: alice,
      erased: { conversations: 1, choices: 0, answers: 1, outbox: 1, feedback: 1 },
    });
    expect(await ratings()).toEqual([]);
    const state = readFileSync(join(dataDir, "state.sqlite"), "latin1");
    expect(state).not.toContain(alice);
    expect(state).toContain("and carol asks");
    await expect(run(dataDir, "forget.ts", "--user", "alice")).rejects.toMatchObject({ code: 2 });
  });
});
