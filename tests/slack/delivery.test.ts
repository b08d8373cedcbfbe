import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { isResolved, readMessageText } from "../../src/slack/read-message-text.ts";
import { createBotWorld, PEOPLE } from "../fakes/bot-world.ts";

const { alice } = PEOPLE;
const POOL = "<@U0RUNBOT> checkout pool connections exhausted";
const mention = (ts: string, text = POOL, fields: object = {}) => ({
  type: "app_mention",
  channel: "C0INCIDENT",
  ts,
  user: alice,
  text,
  team: "T0ACME",
  ...fields,
});

describe("delivered once, answered once", { timeout: 60_000 }, () => {
  it("answers one message that comes under five event ids once", async () => {
    const { slack } = await createBotWorld();

    for (let id = 1; id <= 5; id += 1)
      await slack.deliverEvent(mention("1796000000.000100"), { eventId: `EvMany${id}` });
    await slack.settle(600);

    expect(slack.posted).toHaveLength(1);
  });

  it("answers a delivery that is only a retry", async () => {
    const { slack } = await createBotWorld();

    await slack.deliverEvent(mention("1796000000.000200"), { retryNum: 1, retryReason: "http_timeout" });
    await slack.waitFor(() => slack.posted.length === 1);
  });

  it("answers a replayed command once", async () => {
    const { slack } = await createBotWorld();
    await slack.deliverEvent(mention("1796000000.000300"), { eventId: "EvReplay" });
    await slack.settle(600);

    await slack.deliverEvent(mention("1796000000.000300"), { eventId: "EvReplay" });
    await slack.settle(600);

    expect(slack.posted).toHaveLength(1);
  });

  it("does not answer an edited mention again", async () => {
    const { slack } = await createBotWorld();
    await slack.deliverEvent(mention("1796000000.000400"));
    await slack.settle(600);

    await slack.deliverEvent(
      mention("1796000000.000400", `${POOL} now`, { edited: { user: alice, ts: "1796000060.000000" } }),
    );
    await slack.settle(600);

    expect(slack.posted).toHaveLength(1);
  });

  it("answers on a later delivery when the first one failed before anything was posted", async () => {
    let calls = 0;
    const { slack } = await createBotWorld({
      around: (answer) => async (message, audience) => {
        calls += 1;
        if (calls === 1) throw new Error("the store was away");
        return answer(message, audience);
      },
    });

    await slack.deliverEvent(mention("1796000000.000500"), { eventId: "EvFirst" });
    await slack.settle(600);
    await slack.deliverEvent(mention("1796000000.000500"), { eventId: "EvSecond" });
    await slack.settle(600);

    expect(slack.posted.filter(({ visibleTo }) => visibleTo === undefined)).toHaveLength(1);
  });

  it.each([
    ["an app that quotes the mention", { user: undefined, bot_id: "B0OTHER", subtype: "bot_message" }],
    ["Slackbot", { user: "USLACKBOT" }],
    ["a hidden message", { hidden: true }],
    ["a join", { subtype: "channel_join" }],
  ])("stays silent for %s", async (_name, fields) => {
    const { slack } = await createBotWorld();

    for (let time = 0; time < 20; time += 1) {
      const event = mention(`1796000000.0006${10 + time}`, POOL, fields);
      await slack.deliverEvent(event);
      await slack.deliverEvent({ ...event, type: "message", channel_type: "channel" });
    }
    await slack.settle(400);

    expect(slack.posted).toEqual([]);
  });

  it("leaves people's talk in a watched channel and under an alert alone", async () => {
    const { slack } = await createBotWorld();
    await slack.say(alice, "C0INCIDENT", "checkout pool connections exhausted again");
    await slack.say(alice, "C0INCIDENT", "looking at the checkout pool", { threadTs: "1796000000.000700" });
    await slack.settle(400);

    expect(slack.posted).toEqual([]);
  });

  it("posts once when the response to the post is lost", async () => {
    const { slack } = await createBotWorld();
    slack.fault("chat.postMessage", { kind: "drop_response", times: 2 });

    await slack.say(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(2500);

    expect(slack.posted).toHaveLength(1);
  });

  it("waits as long as Slack asks, and posts", async () => {
    const { slack } = await createBotWorld();
    slack.fault("chat.postMessage", { kind: "ratelimited", retryAfter: 1 });
    slack.fault("chat.postMessage", { kind: "http500" });

    await slack.say(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(1500);

    expect(slack.posted).toHaveLength(1);
  });

  it("posts plain text when Slack refuses the blocks", async () => {
    const { slack } = await createBotWorld();
    slack.fault("chat.postMessage", { kind: "error", error: "invalid_blocks" });

    await slack.say(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => slack.posted.length > 0);

    expect(slack.posted[0]?.blocks).toBeUndefined();
    expect(slack.posted[0]?.text).toContain("checkoutctl pool count");
  });

  it("tells the asker alone how to invite the bot where it is not a member", async () => {
    const { slack } = await createBotWorld();

    await slack.type(alice, "C0NOBOT", "status page is down");
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(500);

    expect(slack.posted.every(({ visibleTo }) => visibleTo === alice)).toBe(true);
    expect(JSON.stringify(slack.posted)).toContain("/invite");
  });

  it("notifies nobody and links nowhere but to the runbooks, whatever is written", async () => {
    const { slack } = await createBotWorld();

    await slack.type(
      alice,
      "C0INCIDENT",
      "checkout pool connections exhausted & <!channel> <@U0DAN> <https://evil.example.test|docs> `x`",
    );
    await slack.waitFor(() => slack.posted.length === 2);

    const { notified, links, broken } = slack.liveTokens();
    expect(notified.filter((token) => token !== "@U0ALICE")).toEqual([]);
    expect(links.filter((link) => !link.startsWith("https://git.example.test/"))).toEqual([]);
    expect(broken).toEqual([]);
  });

  it("lets what runs finish before it stops", async () => {
    const { slack, bot } = await createBotWorld({
      around: (answer) => async (message, audience) => {
        await new Promise((resolve) => setTimeout(resolve, 800));
        return answer(message, audience);
      },
    });
    await slack.say(alice, "C0INCIDENT", POOL);
    await new Promise((resolve) => setTimeout(resolve, 300));

    await bot.stop(10_000);

    expect(slack.posted).toHaveLength(1);
  });

  it("acknowledges at once although the answer takes long", async () => {
    const { slack } = await createBotWorld({
      around: (answer) => async (message, audience) => {
        await new Promise((resolve) => setTimeout(resolve, 4000));
        return answer(message, audience);
      },
    });

    const { acknowledged, attempts } = await slack.type(alice, "C0INCIDENT", "checkout pool connections exhausted");
    await slack.waitFor(() => slack.posted.length === 2, 20_000);

    expect({ acknowledged, attempts }).toEqual({ acknowledged: true, attempts: 1 });
  });
});

const ALERTS = join(import.meta.dirname, "../../../shared/cases/alerts");

describe.runIf(existsSync(ALERTS))("posts of alert apps", () => {
  const files = existsSync(ALERTS) ? readdirSync(ALERTS).filter((name) => name.endsWith(".json")) : [];

  it.each(files)("are read in full: %s", (file) => {
    const { event, expect: expected } = JSON.parse(readFileSync(join(ALERTS, file), "utf8")) as {
      event: Record<string, unknown>;
      expect: { text_contains: string[]; links: string[]; state: string };
    };

    const { text, links } = readMessageText(event);

    for (const piece of expected.text_contains) expect(text).toContain(piece);
    for (const link of expected.links) expect(links).toContain(link);
    expect(isResolved(text)).toBe(expected.state === "resolved");
  });
});
