import { describe, expect, it } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { ACCESS, createBotWorld, exampleWorld, PEOPLE } from "../fakes/bot-world.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";

/** Posts of a channel are a second apart: only a longer silence shows that no second one comes. */
const BETWEEN_POSTS_MS = 1500;

const { alice, bob, carol, guest, partner } = PEOPLE;
const DRIFT = "ledger drift of payments";
const CANARY = "payctl sternwarte";
const policyWith = (from: string, to: string) => parseAccessFile(ACCESS.replace(from, to), "access.yaml");

describe("who may read a reply", () => {
  it("keeps from the channel what only the caller may see, the question included", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.type(carol, "C0INCIDENT", DRIFT);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.visibleTo(alice, "C0INCIDENT")).toEqual([]);
    expect(readAsPerson(slack.visibleTo(carol, "C0INCIDENT")[0]!)).toContain(CANARY);
  });

  it("shows the channel its part, and the caller the rest in the same thread", async () => {
    // The edge is what is tested: one part for all, another for the caller.
    const { slack } = await createBotWorld({
      transport: "socket",
      around: (answer) => async (message, audience) => {
        const { shared } = await answer(message, audience);
        const own = await answer({ text: DRIFT, thread: [] }, { shared: audience.caller, caller: audience.caller });
        return { shared, callerOnly: own.shared.kind === "answered" ? own.shared : null };
      },
    });

    const { ts } = await slack.say(carol, "C0INCIDENT", "<@U0RUNBOT> checkout pool connections exhausted");
    await slack.waitFor(() => slack.posted.length === 2);

    const [shared, rest] = slack.posted;
    expect(shared?.visibleTo).toBeUndefined();
    expect(JSON.stringify(shared)).not.toContain(CANARY);
    expect(rest).toMatchObject({ visibleTo: carol, thread_ts: ts });
    expect(readAsPerson(rest!)).toMatch(/^Only you see this; this channel may not:[\s\S]*payctl sternwarte/);
  });

  it("tells somebody without rights of a hidden thing what it tells of a thing that is not", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    const ask = async (word: string) => {
      const before = slack.posted.length;
      await slack.type(alice, "C0PAY", `${word} is stuck`);
      await slack.waitFor(() => slack.posted.length > before);
      await slack.settle(BETWEEN_POSTS_MS);
      return slack.posted.slice(before).map(({ ts: _ts, thread_ts: _thread, metadata: _id, ...rest }) =>
        JSON.stringify(rest)
          .replaceAll(word, "WORD")
          // What a button carries is drawn by lot.
          .replace(/"value":"[0-9a-f]{12}(?=[":])/g, '"value":"ID'),
      );
    };

    const hidden = await ask("sternwarte");
    // Means as little, and the stand-in model gives it the same number: a word's meaning may change what it finds.
    const absent = await ask("sternwaria");

    expect(hidden).toEqual(absent);
  });

  it("answers a second person in the thread with that person's rights", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    await slack.type(carol, "C0PAY", DRIFT);
    await slack.waitFor(() => slack.posted.length === 2);
    const threadTs = slack.posted[0]!.ts;

    await slack.say(bob, "C0PAY", "<@U0RUNBOT> and the ledger drift, then?", { threadTs });
    await slack.waitFor(() => slack.posted.length === 3);

    expect(slack.posted[2]).toMatchObject({ visibleTo: bob, thread_ts: threadTs });
    expect(readAsPerson(slack.posted[2]!)).not.toContain(CANARY);
  });

  it.each([guest, partner])("says nothing at all to %s, who is no full member", async (person) => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.say(person, "C0SHARED", "<@U0RUNBOT> status page is down");
    await slack.type(person, "C0INCIDENT", "status page is down");
    await slack.type(person, "C0INCIDENT", "help");
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toEqual([]);
  });

  it("believes an event that names another workspace more than a record that names ours", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.say(carol, "C0SHARED", `<@U0RUNBOT> ${DRIFT}`, { fields: { user_team: "T0OTHER" } });
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toEqual([]);
  });

  it("shows a guest what the access file opens to that guest by name, and no more", async () => {
    const bot = await createBotWorld({ transport: "socket" });
    const { slack } = bot;
    bot.setPolicy(policyWith("readers: [everyone]", `readers: [everyone, ${guest}]`));

    await slack.say(guest, "D0GUEST", "status page is down");
    await slack.waitFor(() => slack.posted.length === 1);
    await slack.say(guest, "D0GUEST", DRIFT);
    await slack.waitFor(() => slack.posted.length === 2);

    expect(readAsPerson(slack.posted[0]!)).toContain("status page host");
    expect(readAsPerson(slack.posted[1]!)).not.toContain(CANARY);
  });

  it("shows a full member in a shared channel theirs alone", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.say(carol, "C0SHARED", `<@U0RUNBOT> ${DRIFT}`);
    await slack.say(bob, "C0SHARED", "<@U0RUNBOT> status page is down");
    await slack.waitFor(() => slack.posted.length === 2);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(new Set(slack.posted.map(({ visibleTo }) => visibleTo))).toEqual(new Set([bob, carol]));
  });

  it("follows a channel that turns shared in mid-incident", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    const { ts } = await slack.say(bob, "C0RANDOM", "<@U0RUNBOT> status page is down");
    await slack.waitFor(() => slack.posted.length === 1);

    slack.world.channels.find(({ id }) => id === "C0RANDOM")!.is_pending_ext_shared = true;
    await slack.say(bob, "C0RANDOM", "<@U0RUNBOT> is the status page still down?", { threadTs: ts });
    await slack.waitFor(() => slack.posted.length === 2);

    expect(slack.posted.map(({ visibleTo }) => visibleTo)).toEqual([undefined, bob]);
  });

  it("posts nothing that was written for rights which ended before the post", async () => {
    const world = exampleWorld();
    const { slack } = await createBotWorld({
      transport: "socket",
      world,
      around: (answer) => async (message, audience) => {
        const answered = await answer(message, audience);
        world.usergroups.find(({ id }) => id === "S0PAYMENTS")!.users = [];
        await slack.deliverEvent({ type: "subteam_members_changed", subteam_id: "S0PAYMENTS" });
        return answered;
      },
    });

    await slack.say(carol, "D0CAROL", DRIFT);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
    expect(JSON.stringify(slack.posted)).not.toContain(CANARY);
  });

  it("checks the rights again after a wait for Slack's rate limit", async () => {
    const bot = await createBotWorld({ transport: "socket" });
    const { slack } = bot;
    slack.fault("chat.postMessage", { kind: "ratelimited", retryAfter: 1 });

    await slack.say(carol, "D0CAROL", DRIFT);
    await slack.waitFor(() => slack.calls.some(({ method }) => method === "chat.postMessage"));
    bot.setPolicy(policyWith("readers: [payments-oncall]", "readers: []"));
    await slack.waitFor(() => slack.posted.length > 0);

    expect(slack.posted).toHaveLength(1);
    expect(JSON.stringify(slack.posted)).not.toContain(CANARY);
  });

  it("shows a group direct message what all its members may see, and the rest to the caller", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.say(carol, "G0GROUP", `<@U0RUNBOT> ${DRIFT}`);
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted.map(({ visibleTo }) => visibleTo)).toEqual([carol]);
    expect(slack.visibleTo(bob, "G0GROUP").filter(({ bot_id: bot }) => bot !== undefined)).toEqual([]);
  });

  it.each(["missing_scope", "plan_upgrade_required"])(
    "opens nothing through groups when Slack says %s",
    async (error) => {
      const { slack } = await createBotWorld({ transport: "socket" });
      slack.fault("usergroups.list", { kind: "error", error, times: 50 });

      await slack.say(carol, "D0CAROL", DRIFT);
      await slack.waitFor(() => slack.posted.length > 0);

      const [reply] = slack.posted;
      expect(readAsPerson(reply!)).toMatch(/^No runbook/);
      expect(JSON.stringify(reply)).not.toContain(error);
    },
  );

  it("gives the caller the answer and an invite hint where the bot is no member", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.type(alice, "C0NOBOT", "status page is down");
    await slack.waitFor(() => slack.posted.length > 0);

    const [reply] = slack.posted;
    expect(reply).toMatchObject({ visibleTo: alice });
    expect(readAsPerson(reply!)).toMatch(/status page host[\s\S]*\/invite @runbook-bot/);
  });

  it("gives a hint in a private channel that it can't even see", async () => {
    const world = exampleWorld();
    world.channels.push({ id: "C0PRIVATE", name: "private", kind: "group", members: [alice] });
    const { slack } = await createBotWorld({ transport: "socket", world });

    await slack.type(alice, "C0PRIVATE", "checkout pool connections exhausted");
    await slack.waitFor(() => slack.posted.length > 0);

    expect(slack.posted).toHaveLength(1);
    expect(readAsPerson(slack.posted[0]!)).toMatch(/checkoutctl pool count[\s\S]*\/invite/);
  });

  it("answers alerts of listed apps in watched channels only, and never people's talk", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });
    const alert = {
      subtype: "bot_message",
      attachments: [{ title: "[FIRING:1] checkout pool connections exhausted" }],
    };

    await slack.postAsApp("C0INCIDENT", { ...alert, bot_id: "B0OTHER", app_id: "A0OTHER" });
    await slack.postAsApp("C0PAY", { ...alert, bot_id: "B0ALERTMGR", app_id: "A0ALERTS" });
    await slack.say(alice, "C0INCIDENT", "checkout pool connections exhausted");
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toEqual([]);
  });

  it("asks the pipeline nothing about an alert that is over", async () => {
    const heard: string[] = [];
    const { slack } = await createBotWorld({
      transport: "socket",
      around: (answer) => (message, audience) => {
        heard.push(message.text);
        return answer(message, audience);
      },
    });
    const app = { subtype: "bot_message", bot_id: "B0ALERTMGR", app_id: "A0ALERTS" };

    await slack.postAsApp("C0INCIDENT", { ...app, attachments: [{ title: "[RESOLVED] checkout pool connections" }] });
    await slack.postAsApp("C0INCIDENT", { ...app, attachments: [{ title: "[FIRING:1] checkout pool connections" }] });
    await slack.waitFor(() => heard.length > 0);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(heard).toEqual(["[FIRING:1] checkout pool connections"]);
  });

  it("helps whoever asks for nothing", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.type(bob, "C0INCIDENT", " ");
    await slack.type(bob, "C0INCIDENT", "help");
    await slack.say(bob, "C0INCIDENT", "<@U0RUNBOT>");
    await slack.waitFor(() => slack.posted.length === 3);

    expect(
      slack.posted.every(({ visibleTo, text }) => visibleTo === bob && text.startsWith("Tell me what fails")),
    ).toBe(true);
  });

  it("masks a secret of the question before the channel sees it", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.type(alice, "C0INCIDENT", "checkout pool connections exhausted, password=hunter2hunter2");
    await slack.waitFor(() => slack.posted.length === 2);

    expect(JSON.stringify(slack.posted)).not.toContain("hunter2");
    expect(readAsPerson(slack.posted[0]!)).toContain("password=[secret]");
  });
});
