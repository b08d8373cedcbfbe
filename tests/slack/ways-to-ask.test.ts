import { describe, expect, it } from "vitest";

import { createBotWorld, PEOPLE, type BotWorldOptions } from "../fakes/bot-world.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";

/** Posts of a channel are a second apart: only a longer silence shows that no second one comes. */
const BETWEEN_POSTS_MS = 1500;

const { alice, bob, carol, guest } = PEOPLE;
const POOL = "checkout pool connections exhausted";
const CHECK = "checkoutctl pool count";

const socketWorld = (options: BotWorldOptions = {}) => createBotWorld({ transport: "socket", ...options });

describe("/runbook private", () => {
  it("answers the asker alone, also where the channel may see it", async () => {
    const { slack } = await socketWorld();

    await slack.type(alice, "C0INCIDENT", `private ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 1);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
    expect(slack.posted[0]).toMatchObject({ visibleTo: alice });
    expect(readAsPerson(slack.posted[0]!)).toContain(CHECK);
    expect(slack.visibleTo(bob, "C0INCIDENT")).toEqual([]);
  });

  it("works where the bot is not, and shows nobody more than they may open", async () => {
    const { slack } = await socketWorld();

    await slack.type(alice, "C0NOBOT", `private ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 1);
    await slack.type(bob, "C0INCIDENT", `private ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 2);

    expect(readAsPerson(slack.posted[0]!)).toContain(CHECK);
    expect(readAsPerson(slack.posted[1]!)).toMatch(/^No runbook/);
  });
});

describe("/runbook search", () => {
  it("gives the asker alone links, and no word of a runbook but its title", async () => {
    const { slack } = await socketWorld();

    await slack.type(alice, "C0INCIDENT", "search checkout pool");
    await slack.waitFor(() => slack.posted.length === 1);

    const text = readAsPerson(slack.posted[0]!);
    expect(slack.posted[0]).toMatchObject({ visibleTo: alice });
    expect(text).toContain("Checkout connection pool exhausted");
    expect(text).toContain("https://git.example.test/acme/runbooks/blob/main/checkout/pool.md#L");
    expect(text).not.toContain("checkoutctl");
  });

  it("finds nothing for who may not open it", async () => {
    const { slack } = await socketWorld();

    await slack.type(bob, "C0INCIDENT", "search checkout pool");
    await slack.waitFor(() => slack.posted.length === 1);

    expect(slack.posted[0]?.text).not.toMatch(/checkout/i);
  });

  it("leaves a question that begins with our words alone outside of a command", async () => {
    const { slack } = await socketWorld();

    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> search: ${POOL}`);
    await slack.waitFor(() => slack.posted.length === 1);

    expect(slack.posted[0]?.visibleTo).toBeUndefined();
  });
});

describe("/runbook status", () => {
  const policyStatus = {
    state: "narrowed",
    since: Date.now(),
    problems: ["access.yaml:3: payments: no such group"],
  } as const;

  it("tells everybody what they may open, and admins how the bot is", async () => {
    const { slack } = await socketWorld({ policyStatus });

    await slack.type(alice, "C0RANDOM", "status");
    await slack.waitFor(() => slack.posted.length === 1);
    await slack.type(carol, "C0RANDOM", "status");
    await slack.waitFor(() => slack.posted.length === 2);

    const [forAlice, forCarol] = slack.posted.map((message) => readAsPerson(message));
    expect(slack.posted.map(({ visibleTo }) => visibleTo)).toEqual([alice, carol]);
    expect(forAlice).toMatch(/You may open the runbooks of: checkout-api, status-page\.$/);
    expect(forCarol).toMatch(/Access file\*: narrowed, policy \w+/);
    expect(forCarol).toContain("access.yaml:3: payments: no such group");
    expect(forCarol).toMatch(/Index\*: \S+, 3 runbooks, made 0 min ago/);
  });

  it("is silent to a guest", async () => {
    const { slack } = await socketWorld();

    await slack.type(guest, "C0INCIDENT", "status");
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toEqual([]);
  });
});

describe("the message shortcut", () => {
  it("answers in the message's thread, also inside a thread", async () => {
    const { slack } = await socketWorld();
    const root = await slack.say(bob, "C0INCIDENT", "something is wrong");
    const { ts } = await slack.say(bob, "C0INCIDENT", POOL, { threadTs: root.ts });

    await slack.shortcut(alice, "C0INCIDENT", ts, "find_runbook");
    await slack.waitFor(() => slack.posted.length === 1);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
    expect(slack.posted[0]).toMatchObject({ thread_ts: root.ts });
    expect(readAsPerson(slack.posted[0]!)).toContain(CHECK);
  });

  it("counts who uses it, not who wrote the message", async () => {
    const { slack } = await socketWorld();
    const { ts } = await slack.say(alice, "C0INCIDENT", POOL);

    await slack.shortcut(bob, "C0INCIDENT", ts, "find_runbook");
    await slack.waitFor(() => slack.posted.length === 1);

    expect(slack.posted[0]).toMatchObject({ visibleTo: bob });
    expect(JSON.stringify(slack.posted)).not.toContain("checkoutctl");
  });
});

describe("a plain reply in the bot's own thread", () => {
  async function replyTo(threadReplies: "mentions" | "questions", text: string, options = {}) {
    const { slack, handled } = await socketWorld({ threadReplies });
    const { ts } = await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    // The thread counts as the bot's when it knows that its post arrived.
    await slack.waitFor(() => handled() === 1);
    await slack.say(alice, "C0INCIDENT", text, { threadTs: ts, ...options });
    await slack.settle(BETWEEN_POSTS_MS);
    return slack.posted.length - 1;
  }

  it("is left alone unless the setting says otherwise", async () => {
    expect(await replyTo("mentions", "and what about the limit?")).toBe(0);
  });

  it("is answered where questions are, once, mention or not", async () => {
    expect(await replyTo("questions", "and what about the limit?")).toBe(1);
    expect(await replyTo("questions", "<@U0RUNBOT> and what about the limit?")).toBe(1);
  });

  it("is left alone when it asks nothing, or somebody else", async () => {
    expect(await replyTo("questions", "the limit is fine, thanks")).toBe(0);
    expect(await replyTo("questions", "<@U0BOB> what about the limit?")).toBe(0);
    expect(await replyTo("questions", "what about the limit?", { threadTs: undefined })).toBe(0);
  });
});

describe("the Home tab", () => {
  it("says what this person may open, and how to ask", async () => {
    const { slack } = await socketWorld();

    for (const person of [alice, bob, guest]) await slack.openHome(person);
    await slack.waitFor(() => slack.views.length === 3);

    const shown = (person: string) => JSON.stringify(slack.views.find(({ userId }) => userId === person)?.view);
    expect(shown(alice)).toContain("checkout-api, status-page");
    expect(shown(alice)).not.toContain("payments");
    expect(shown(bob)).not.toContain("checkout-api");
    expect(shown(guest)).not.toContain("status-page");
    expect(shown(bob)).toContain("/runbook private");
    expect(slack.violations).toEqual([]);
  });
});
