import { describe, expect, it } from "vitest";

import { createBotWorld, PEOPLE } from "../fakes/bot-world.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";

/** Posts of a channel are a second apart: only a longer silence shows that no second one comes. */
const BETWEEN_POSTS_MS = 1500;

const { alice, bob, carol } = PEOPLE;
const POOL = "checkout pool connections exhausted";

describe.each(["http", "socket"] as const)("the bot over %s", (transport) => {
  it("answers a command with a public thread: the question, then the checks with their links", async () => {
    const { slack } = await createBotWorld({ transport });

    const { acknowledged } = await slack.type(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => slack.posted.length === 2);

    const [root, reply] = slack.posted;
    expect(acknowledged).toBe(true);
    expect(readAsPerson(root!)).toBe(`@U0ALICE asked: ${POOL}`);
    expect(reply).toMatchObject({ channel: "C0INCIDENT", thread_ts: root!.ts });
    const text = readAsPerson(reply!);
    expect(text).toMatch(/1\.\* Count the checkout pool[\s\S]*2\.\* Compare with the checkout pool limit/);
    expect(text).toContain("(https://git.example.test/acme/runbooks/blob/main/checkout/pool.md#L5)");
    expect(slack.visibleTo(bob, "C0INCIDENT")).toHaveLength(2);
  });

  it("answers a mention once in its thread, although it arrives twice", async () => {
    const { slack } = await createBotWorld({ transport });

    const { ts } = await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
    expect(slack.posted[0]).toMatchObject({ thread_ts: ts });
  });

  it("answers a direct message", async () => {
    const { slack } = await createBotWorld({ transport });

    await slack.say(carol, "D0CAROL", "ledger drift of payments");
    await slack.waitFor(() => slack.posted.length > 0);

    expect(readAsPerson(slack.posted[0]!)).toContain("payctl sternwarte reconcile");
  });

  it("answers a direct message of which Slack says nothing for lack of a scope", async () => {
    const { slack } = await createBotWorld({ transport });
    slack.fault("conversations.info", { kind: "error", error: "missing_scope", times: 9 });

    await slack.say(carol, "D0CAROL", "ledger drift of payments");
    await slack.waitFor(() => slack.posted.length > 0);

    expect(readAsPerson(slack.posted[0]!)).toContain("payctl sternwarte reconcile");
  });

  it("answers a firing alert of a listed app once, and a resolved one never", async () => {
    const { slack } = await createBotWorld({ transport });
    const alert = (title: string) => ({
      subtype: "bot_message",
      bot_id: "B0ALERTMGR",
      app_id: "A0ALERTS",
      attachments: [{ title, fallback: title }],
    });

    await slack.postAsApp("C0INCIDENT", alert("[RESOLVED] checkout pool connections exhausted (checkout-api)"));
    const { ts } = await slack.postAsApp(
      "C0INCIDENT",
      alert("[FIRING:1] checkout pool connections exhausted (checkout-api)"),
    );
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
    expect(slack.posted[0]).toMatchObject({ thread_ts: ts });
    expect(slack.posted[0]?.visibleTo).toBeUndefined();
  });

  it("answers a follow-up with the subject of the thread", async () => {
    const { slack } = await createBotWorld({ transport });
    await slack.type(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => slack.posted.length === 2);

    await slack.say(alice, "C0INCIDENT", "<@U0RUNBOT> what about the limit?", { threadTs: slack.posted[0]!.ts });
    await slack.waitFor(() => slack.posted.length === 3);

    expect(slack.posted[2]).toMatchObject({ thread_ts: slack.posted[0]!.ts });
    expect(readAsPerson(slack.posted[2]!)).toContain("checkoutctl pool limit");
  });
});
