import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { createBotWorld, PEOPLE } from "../fakes/bot-world.ts";

/** Posts of a channel are a second apart: only a longer silence shows that no second one comes. */
const BETWEEN_POSTS_MS = 1500;

const { alice } = PEOPLE;
const POOL = "checkout pool connections exhausted";
const MENTION = {
  type: "app_mention",
  channel: "C0INCIDENT",
  user: alice,
  ts: "1796000000.000100",
  text: `<@U0RUNBOT> ${POOL}`,
};

describe.each(["http", "socket"] as const)("delivered once, answered once, over %s", (transport) => {
  it("answers one mention that comes under five event ids once", async () => {
    const { slack } = await createBotWorld({ transport });

    for (let copy = 1; copy <= 5; copy += 1) await slack.deliverEvent(MENTION, { eventId: `EvCopy${copy}` });
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
  });

  it("answers a delivery that is only a retry", async () => {
    const { slack } = await createBotWorld({ transport });

    await slack.deliverEvent(MENTION, { retryNum: 1 });
    await slack.waitFor(() => slack.posted.length > 0);

    expect(slack.posted[0]).toMatchObject({ channel: "C0INCIDENT", thread_ts: MENTION.ts });
  });

  it("answers the next delivery when the pipeline failed at the first, and only once", async () => {
    let failures = 1;
    const { slack } = await createBotWorld({
      transport,
      around: (answer) => async (message, audience) => {
        failures -= 1;
        if (failures >= 0) throw new Error("secret detail of the store");
        return answer(message, audience);
      },
    });

    await slack.deliverEvent(MENTION);
    await slack.waitFor(() => slack.posted.length === 1);
    await slack.deliverEvent(MENTION, { retryNum: 1 });
    await slack.waitFor(() => slack.posted.length === 2);
    await slack.deliverEvent(MENTION, { retryNum: 2 });
    await slack.settle(BETWEEN_POSTS_MS);

    const [notice, reply] = slack.posted;
    expect(slack.posted).toHaveLength(2);
    expect(notice).toMatchObject({ visibleTo: alice });
    expect(notice?.text).toMatch(/^Something went wrong and I could not answer\. Reference: [0-9a-f]{12}$/);
    expect(reply?.visibleTo).toBeUndefined();
  });

  it("gives an edited mention no new answer", async () => {
    const { slack } = await createBotWorld({ transport });
    await slack.deliverEvent(MENTION);
    await slack.waitFor(() => slack.posted.length > 0);

    for (const minutes of [1, 15, 120]) {
      const edited = { user: alice, ts: `${1796000000 + minutes * 60}.000100` };
      await slack.deliverEvent({ ...MENTION, text: `${MENTION.text} ${minutes}`, edited });
    }
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
  });

  it("takes no part in a talk among bots that quote its mention", async () => {
    const { slack } = await createBotWorld({ transport });
    const quote = { bot_id: "B0ALERTMGR", app_id: "A0ALERTS", subtype: "bot_message", text: MENTION.text };

    for (let copy = 0; copy < 20; copy += 1) await slack.postAsApp("C0INCIDENT", quote);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(0);
  });

  it("is silent to Slackbot, which looks like a person", async () => {
    const { slack } = await createBotWorld({ transport });

    await slack.deliverEvent({ ...MENTION, user: "USLACKBOT" });
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(0);
  });

  it("answers once while the pipeline is slow and the delivery is repeated", async () => {
    const { slack } = await createBotWorld({
      transport,
      around: (answer) => async (message, audience) => {
        await sleep(1000);
        return answer(message, audience);
      },
    });

    await slack.deliverEvent(MENTION);
    await slack.deliverEvent(MENTION, { retryNum: 1 });
    await slack.deliverEvent(MENTION, { retryNum: 2, eventId: "EvLate" });
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
  });

  it("acknowledges before the pipeline has answered", async () => {
    let answered = false;
    const { slack } = await createBotWorld({
      transport,
      around: (answer) => async (message, audience) => {
        await sleep(1000);
        answered = true;
        return answer(message, audience);
      },
    });

    const { acknowledged, attempts } = await slack.type(alice, "C0INCIDENT", POOL);

    expect({ acknowledged, attempts, answered }).toEqual({ acknowledged: true, attempts: 1, answered: false });
    await slack.waitFor(() => slack.posted.length === 2);
  });

  it("does not hear a delivery for another workspace", async () => {
    const { slack } = await createBotWorld({ transport });

    await slack.deliverEvent(MENTION, { teamId: "T0OTHER" });
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(0);
  });
});

describe("delivered once, answered once, when Slack is in trouble", () => {
  it("answers once when looking the person up failed on the first delivery", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    slack.fault("users.info", { kind: "http500", times: 4 });

    await slack.deliverEvent(MENTION);
    await slack.waitFor(() => slack.posted.length === 1);
    await slack.deliverEvent(MENTION, { retryNum: 1 });
    await slack.waitFor(() => slack.posted.length === 2);
    await slack.deliverEvent(MENTION, { retryNum: 2 });
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted.map(({ visibleTo }) => visibleTo)).toEqual([alice, undefined]);
    expect(slack.posted[0]?.text).toMatch(/^Access could not be checked just now/);
  });

  it("posts once when the response to the post gets lost", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    slack.fault("chat.postMessage", { kind: "drop_response" });

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.calls.some(({ method }) => method === "conversations.replies"));
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
  });

  it("posts again when the request itself got lost", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    slack.fault("chat.postMessage", { kind: "drop_request" });

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
  });

  it("does not post again when nobody can tell whether the post arrived", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    slack.fault("chat.postMessage", { kind: "drop_response" });
    slack.fault("conversations.replies", { kind: "http500", times: 20 });

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 2);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted.map(({ visibleTo }) => visibleTo)).toEqual([undefined, alice]);
  });

  it("keeps one rate-limited channel waiting, and no other", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    slack.fault("chat.postMessage", { kind: "ratelimited", retryAfter: 3 });

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.calls.some(({ method }) => method === "chat.postMessage"));
    await slack.say(alice, "C0PAY", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 2);

    expect(slack.posted.map(({ channel }) => channel)).toEqual(["C0PAY", "C0INCIDENT"]);
  });

  it("says it in plain text when Slack refuses the blocks", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    slack.fault("chat.postMessage", { kind: "error", error: "invalid_blocks" });

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length > 0);

    expect(slack.posted[0]?.blocks).toBeUndefined();
    expect(slack.posted[0]?.text).toMatch(/1\. Count the checkout pool connections: `checkoutctl pool count`/);
    expect(slack.liveTokens().broken).toEqual([]);
  });
});
