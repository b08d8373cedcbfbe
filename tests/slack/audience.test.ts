import { describe, expect, it } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { ACCESS, createBotWorld, exampleWorld, PEOPLE, type BotWorld } from "../fakes/bot-world.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";

const { alice, bob, carol, guest, partner } = PEOPLE;
const LEDGER = "payments ledger drift after the sternwarte cutover";
const HIDDEN = /payctl|reconcile|Ledger drift|ledger-drift|payments-core|payments\/|"payments"/;

/** Everything that one person sees of the bot, as they read it. */
const seenBy = ({ slack }: BotWorld, userId: string, channelId: string) =>
  slack
    .visibleTo(userId, channelId)
    .filter((message) => message.bot_id === slack.world.bot.botId)
    .map((message) => readAsPerson(message));
const saidToAll = ({ slack }: BotWorld) => slack.posted.filter((message) => message.visibleTo === undefined);

async function afterQuiet(world: BotWorld, act: () => Promise<unknown>) {
  await act();
  await world.slack.settle(500);
}

describe("who sees what", { timeout: 60_000 }, () => {
  it("shows the caller alone what the channel may not show, without a public word", async () => {
    const world = await createBotWorld();

    await afterQuiet(world, () => world.slack.type(carol, "C0INCIDENT", LEDGER));

    expect(saidToAll(world)).toEqual([]);
    expect(seenBy(world, carol, "C0INCIDENT").join()).toContain("payctl sternwarte reconcile");
    expect(seenBy(world, alice, "C0INCIDENT")).toEqual([]);
  });

  it("splits an answer: the channel's part in the thread, the rest to the caller", async () => {
    const world = await createBotWorld();

    await afterQuiet(world, () =>
      world.slack.say(
        carol,
        "C0INCIDENT",
        "<@U0RUNBOT> payments ledger drift after sternwarte cutover, checkout pool connections exhausted",
      ),
    );
    await world.slack.waitFor(() => world.slack.posted.length >= 2);

    expect(JSON.stringify(saidToAll(world))).toContain("checkoutctl pool count");
    expect(JSON.stringify(saidToAll(world))).not.toMatch(HIDDEN);
    expect(seenBy(world, carol, "C0INCIDENT").join()).toContain("payctl");
  });

  it.each([
    [
      "in a channel that may show it",
      (world: BotWorld, text: string) => world.slack.type(alice, "C0PAY", text),
      alice,
      "C0PAY",
    ],
    [
      "in a direct message",
      (world: BotWorld, text: string) => world.slack.say(alice, "D0ALICE", text),
      alice,
      "D0ALICE",
    ],
    [
      "by mention",
      (world: BotWorld, text: string) => world.slack.say(bob, "C0PAY", `<@U0RUNBOT> ${text}`),
      bob,
      "C0PAY",
    ],
  ])(
    "tells a person without rights the same about a hidden runbook as about nothing, %s",
    async (_name, ask, person, channelId) => {
      const questions = [
        "sternwarte is stuck",
        "ERR_PAY_1042",
        "PAY-77 is open",
        "LedgerDriftHigh fires",
        "payments/ledger-drift is wrong",
      ];
      const controls = [
        "sternwarze is stuck",
        "ERR_PAY_9942",
        "PAZ-78 is open",
        "LedgerDriftHigi fires",
        "payments/ledger-drifx is wrong",
      ];
      const answers = async (texts: readonly string[]) => {
        const world = await createBotWorld();
        for (const text of texts) await afterQuiet(world, () => ask(world, text));
        return { seen: seenBy(world, person, channelId), all: JSON.stringify(world.slack.posted) };
      };

      const hidden = await answers(questions);
      const absent = await answers(controls);

      // The asker's own words come back; everything else is the same.
      const withoutOwnWords = (texts: readonly string[], said: readonly string[]) =>
        texts.map((text) => said.reduce((left, word) => left.replaceAll(word, "…"), text));
      expect(withoutOwnWords(hidden.seen, questions)).toEqual(withoutOwnWords(absent.seen, controls));
      expect(hidden.all).not.toMatch(HIDDEN);
    },
  );

  it("answers each person in one thread by their own rights", async () => {
    const world = await createBotWorld();
    await afterQuiet(world, () => world.slack.type(carol, "C0PAY", LEDGER));
    await world.slack.waitFor(() => saidToAll(world).length === 2);
    const [root] = saidToAll(world);
    const before = world.slack.posted.length;

    await afterQuiet(world, () => world.slack.say(bob, "C0PAY", "<@U0RUNBOT> and then?", { threadTs: root!.ts }));

    const news = world.slack.posted.slice(before);
    expect(news.map(({ visibleTo }) => visibleTo)).toEqual([bob]);
    expect(JSON.stringify(news)).not.toMatch(HIDDEN);
  });

  it.each([
    ["a guest in a channel", guest, "C0INCIDENT"],
    ["a guest in a direct message", guest, "D0GUEST"],
    ["somebody of another workspace", partner, "C0SHARED"],
  ])("stays silent for %s", async (_name, userId, channelId) => {
    const world = await createBotWorld();

    await afterQuiet(world, () => world.slack.say(userId, channelId, "<@U0RUNBOT> status page is down"));
    await afterQuiet(world, () => world.slack.type(userId, channelId, "checkout pool connections exhausted"));

    expect(world.slack.posted).toEqual([]);
  });

  it("shows a shared channel nothing, and a full member theirs alone", async () => {
    const world = await createBotWorld();

    await afterQuiet(world, () => world.slack.say(carol, "C0SHARED", `<@U0RUNBOT> ${LEDGER}`));
    await afterQuiet(world, () => world.slack.say(carol, "C0SHARED", "<@U0RUNBOT> status page is down"));

    expect(saidToAll(world)).toEqual([]);
    expect(seenBy(world, carol, "C0SHARED").join()).toContain("payctl");
    expect(seenBy(world, alice, "C0SHARED")).toEqual([]);
  });

  it("follows a channel that turns shared between two questions", async () => {
    const world = await createBotWorld();
    const channel = world.slack.world.channels.find(({ id }) => id === "C0RANDOM")!;
    await afterQuiet(world, () => world.slack.say(bob, "C0RANDOM", "<@U0RUNBOT> status page is down"));
    expect(saidToAll(world)).toHaveLength(1);

    channel.is_pending_ext_shared = true;
    await afterQuiet(world, () => world.slack.say(bob, "C0RANDOM", "<@U0RUNBOT> status page is down again"));

    expect(saidToAll(world)).toHaveLength(1);
  });

  it("drops an answer whose reader lost the right to it while it was found", async () => {
    const slackWorld = exampleWorld();
    let leave = () => {};
    const world = await createBotWorld({
      world: slackWorld,
      around: (answer) => async (message, audience) => {
        const result = await answer(message, audience);
        leave();
        return result;
      },
    });
    leave = () => {
      const carolUser = slackWorld.users.find(({ id }) => id === carol)!;
      carolUser.deleted = true;
    };

    await afterQuiet(world, () => world.slack.say(carol, "D0CAROL", LEDGER));

    expect(JSON.stringify(world.slack.posted)).not.toMatch(HIDDEN);
  });

  it("takes a person who left the user group at their word when Slack says so", async () => {
    const world = await createBotWorld();
    await afterQuiet(world, () => world.slack.say(carol, "D0CAROL", LEDGER));
    expect(JSON.stringify(world.slack.posted)).toMatch(HIDDEN);
    const before = world.slack.posted.length;

    world.slack.world.usergroups.find(({ id }) => id === "S0PAYMENTS")!.users = [];
    await world.slack.deliverEvent({
      type: "subteam_members_changed",
      subteam_id: "S0PAYMENTS",
      team_id: "T0ACME",
      added_users: [],
      removed_users: [carol],
    });
    await afterQuiet(world, () => world.slack.say(carol, "D0CAROL", LEDGER));

    expect(JSON.stringify(world.slack.posted.slice(before))).not.toMatch(HIDDEN);
  });

  it.each([
    // Two look-ups for each of two tries of the client; a 429 is not tried again.
    ["fails", { kind: "http500", times: 4 }],
    ["is rate limited", { kind: "ratelimited", times: 2 }],
  ] as const)(
    "shows nothing while users.info %s, says that access could not be checked, and answers later",
    async (_name, fault) => {
      const world = await createBotWorld();
      world.slack.fault("users.info", fault);
      await afterQuiet(world, () => world.slack.say(alice, "D0ALICE", "checkout pool connections exhausted"));
      const refused = JSON.stringify(world.slack.posted);

      await afterQuiet(world, () => world.slack.say(alice, "D0ALICE", "checkout pool connections exhausted"));
      await afterQuiet(world, () => world.slack.say(alice, "D0ALICE", "checkout pool connections exhausted"));

      expect(refused).not.toContain("checkoutctl");
      expect(refused).toContain("Access could not be checked");
      expect(JSON.stringify(world.slack.posted)).toContain("checkoutctl pool count");
    },
  );

  it.each(["missing_scope", "plan_upgrade_required"])(
    "lets no group member in when the groups can't be read: %s",
    async (error) => {
      const world = await createBotWorld();
      world.slack.fault("usergroups.list", { kind: "error", error, times: 9 });

      await afterQuiet(world, () => world.slack.say(carol, "D0CAROL", LEDGER));

      expect(JSON.stringify(world.slack.posted)).not.toMatch(HIDDEN);
      expect(JSON.stringify(world.slack.posted)).not.toContain(error);
    },
  );

  it("takes nobody for a full member whose flags are missing or who is deactivated", async () => {
    const world = await createBotWorld();
    const user = world.slack.world.users.find(({ id }) => id === alice)!;
    delete user.is_restricted;
    await afterQuiet(world, () => world.slack.say(alice, "D0ALICE", "status page is down"));
    user.is_restricted = false;
    user.deleted = true;
    await afterQuiet(world, () => world.slack.say(alice, "D0ALICE", "status page is down"));

    expect(world.slack.posted).toEqual([]);
  });

  it("shows a group message what all its members may see, and the asker the rest", async () => {
    const world = await createBotWorld();

    await afterQuiet(world, () => world.slack.say(carol, "G0GROUP", `<@U0RUNBOT> ${LEDGER}`));

    expect(JSON.stringify(saidToAll(world))).not.toMatch(HIDDEN);
    expect(seenBy(world, bob, "G0GROUP").join()).not.toMatch(HIDDEN);
    expect(seenBy(world, carol, "G0GROUP").join()).toContain("payctl");
  });

  it("follows today's access file, not the index's", async () => {
    const world = await createBotWorld();
    world.setPolicy(parseAccessFile(ACCESS.replace("readers: [everyone]", "readers: []"), "access.yaml"));

    await afterQuiet(world, () => world.slack.say(bob, "D0BOB", "status page is down"));

    expect(JSON.stringify(world.slack.posted)).not.toContain("status page host");
  });

  it("answers an alert from the channel's services only, whatever its labels say", async () => {
    const world = await createBotWorld();

    await afterQuiet(world, () =>
      world.slack.postAsApp("C0INCIDENT", {
        subtype: "bot_message",
        bot_id: "B0ALERTMGR",
        app_id: "A0ALERTS",
        attachments: [
          {
            title: "[FIRING:1] LedgerDriftHigh",
            text: "service: payments\nrunbook_url: https://git.example.test/acme/runbooks/blob/main/payments/ledger-drift.md#L9",
          },
        ],
      }),
    );

    expect(JSON.stringify(world.slack.posted)).not.toMatch(HIDDEN);
  });

  it("gives a fixed sentence with a reference when the permission proof throws, and no word of the cause", async () => {
    const world = await createBotWorld({
      around: () => async () => {
        throw new Error("payments/ledger-drift.md leaked");
      },
    });

    await afterQuiet(world, () => world.slack.say(alice, "D0ALICE", "checkout pool"));
    await world.slack.waitFor(() => world.slack.posted.length > 0);

    const text = JSON.stringify(world.slack.posted);
    expect(text).toMatch(/[Rr]eference/);
    expect(text).not.toMatch(/leaked|ledger/);
  });
});
