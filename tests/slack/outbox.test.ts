import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it, onTestFinished } from "vitest";

import { createBotWorld, PEOPLE } from "../fakes/bot-world.ts";
import { createProcessWorld } from "../fakes/bot-process.ts";

const { alice } = PEOPLE;
const POOL = "checkout pool exhausted, connections refused";
/** Posts of a channel are a second apart: only a longer silence shows that no second one comes. */
const BETWEEN_POSTS_MS = 1500;

function outboxOf(dataDir: string) {
  const database = new DatabaseSync(join(dataDir, "state.sqlite"), { readOnly: true });
  onTestFinished(() => database.close());
  return database.prepare("SELECT status, question FROM outbox").all();
}

describe("a question that can't be answered in its place", () => {
  it.each(["kicked", "archived"])("ends when the bot was %s meanwhile, and is not tried again", async (how) => {
    const { slack, dataDir, handled } = await createBotWorld({
      transport: "socket",
      around: (answer) => async (message, audience) => {
        if (how === "kicked") slack.kickBot("C0INCIDENT");
        else slack.world.channels.find(({ id }) => id === "C0INCIDENT")!.is_archived = true;
        return answer(message, audience);
      },
    });

    const { deliveries } = await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => handled() === 1);
    await slack.redeliver(deliveries[0]!, { retryNum: 1 });
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(0);
    expect(slack.callsOf("chat.postMessage")).toHaveLength(1);
    expect(outboxOf(dataDir)).toEqual([{ status: "place_closed", question: null }]);
  });

  it("tells the person who typed a command alone when the bot was removed meanwhile", async () => {
    const { slack } = await createBotWorld({
      transport: "socket",
      around: (answer) => async (message, audience) => {
        slack.kickBot("C0INCIDENT");
        return answer(message, audience);
      },
    });

    await slack.type(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted.map(({ visibleTo }) => visibleTo)).toEqual([alice]);
    expect(JSON.stringify(slack.posted[0])).toContain("/invite @");
  });
});

describe("what the outbox keeps", () => {
  it("forgets the words when the question has ended", async () => {
    const { slack, dataDir, handled } = await createBotWorld({ transport: "socket" });

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => handled() === 1);

    expect(outboxOf(dataDir)).toEqual([{ status: "answered", question: null }]);
  });
});

describe("a token that Slack takes back", { timeout: 60_000 }, () => {
  it("leaves the question for the next start with a good one", async () => {
    const { slack, start } = await createProcessWorld();
    const { bot } = slack.world;
    const good = bot.botToken;
    const first = await start();
    await first.saying('"ready"');

    bot.botToken = "revoked";
    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await first.saying('"question_waits"');
    await first.kill("SIGTERM");
    bot.botToken = good;
    const second = await start();
    await second.saying('"question_handled"');
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
    expect(slack.posted[0]?.visibleTo).toBeUndefined();
  });
});
