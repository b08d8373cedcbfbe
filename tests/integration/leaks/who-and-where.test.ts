import { describe, expect, it } from "vitest";

import { audienceFor } from "../../../src/access/audience.ts";
import { judgeEdit } from "../../../src/access/judge-edit.ts";
import { principalFromFile } from "../../../src/access/known-principal.ts";
import { parseAccessFile } from "../../../src/access/read-access-file.ts";
import type { BotWorld } from "../../fakes/bot-world.ts";
import {
  ACCESS,
  bytesOf,
  createLeakWorld,
  leakSlack,
  OF_THE_VAULT,
  PEOPLE,
  policyWith,
  repliesTo,
} from "./leak-world.ts";

const { mia, kim, lou, guest, partner } = PEOPLE;
const STUCK = "rotation of the vault keys is stuck";
const COMMAND = "vaultctl nachtfalter rotate";
const BOARD = "the notice board is down";

const problemsOf = (source: string) => {
  try {
    parseAccessFile(source, "access.yaml");
  } catch (error) {
    return (error as Error).message;
  }
  return "";
};
const publicly = (world: BotWorld) => world.slack.posted.filter(({ visibleTo }) => visibleTo === undefined);

describe("readers that say nothing", () => {
  it("open a service to nobody when the list is empty", async () => {
    const world = await createLeakWorld();
    world.setPolicy(policyWith("readers: [vault-oncall]", "readers: []"));

    const hidden = await repliesTo(world, () => world.slack.type(kim, "C0SAFE", "nachtfalter is stuck"));
    const absent = await repliesTo(world, () => world.slack.type(kim, "C0SAFE", "nachtfaltes is stuck"));

    expect(bytesOf(hidden, "nachtfalter")).toBe(bytesOf(absent, "nachtfaltes"));
  });

  it.each(['[""]', '[" "]', "null", '["*"]', '"*"', "", "[all]", "[Everyone]", "[[]]", "{}"])(
    "are refused with their line, and withdraw the service from a running bot: %s",
    (readers) => {
      const edit = ACCESS.replace("readers: [vault-oncall]", `readers: ${readers}`);
      const lastGood = parseAccessFile(ACCESS, "access.yaml");

      const verdict = judgeEdit({ lastGood, current: lastGood }, [{ path: "access.yaml", text: edit }], "edit");

      expect(problemsOf(edit)).toMatch(/^access\.yaml:4: services\.vault/);
      expect(verdict.kind).toBe("narrowed");
      expect(verdict.policy.services.get("vault")?.readers).toEqual([]);
    },
  );

  it("are refused when they are missing", () => {
    expect(problemsOf(ACCESS.replace(", readers: [vault-oncall]", ""))).toMatch(/services\.vault\.readers/);
  });

  it.each(["Vault", "VAULT", "v\u0430ult", '"vault\u200B"', "ｖault"])(
    "are not found under a twin's name: %s",
    (twin) => {
      const service = `  ${twin}: { owner: vault-crew, runbooks: ["twin/**/*.md"], readers: [everyone] }\n`;
      const source = ACCESS.replace("  notices:", `${service}  notices:`);
      if (problemsOf(source) !== "") return;
      const policy = parseAccessFile(source, "access.yaml");
      const place = { channelId: "C0FREE", kind: "channel", shared: false, members: null } as const;
      const audience = audienceFor(policy, { userId: lou, standing: "member", usergroups: new Set() }, place);

      // Another service altogether.
      expect(audience.caller.has("vault")).toBe(false);
      expect(policy.serviceOfPath("vault/keys.md")).toBe("vault");
    },
  );
});

describe("whoever can't be established", () => {
  it("sees nothing as a person that Slack or the access file does not know", async () => {
    const world = await createLeakWorld();
    const policy = parseAccessFile(ACCESS, "access.yaml");
    const place = { channelId: null, kind: "direct_message", shared: false, members: null } as const;

    world.slack.world.channels.find(({ id }) => id === "C0SHOP")?.members.push("U0WHO");

    const replies = await repliesTo(world, () => world.slack.say("U0WHO", "C0SHOP", `<@U0RUNBOT> ${BOARD}`));

    expect(replies).toEqual([]);
    expect(audienceFor(policy, principalFromFile(policy, "U0WHO"), place).caller.size).toBe(0);
  });

  it.each([
    { kind: "http500", times: 4 },
    { kind: "error", error: "user_not_visible", times: 2 },
    { kind: "drop_request", times: 4 },
  ] as const)("sees nothing for this question, and is asked for anew at the next: %j", async (fault) => {
    const world = await createLeakWorld();
    world.slack.fault("users.info", fault);

    const first = await repliesTo(world, () => world.slack.say(kim, "D0KIM", STUCK));
    const second = await repliesTo(world, () => world.slack.say(kim, "D0KIM", STUCK));

    expect(JSON.stringify(first)).toMatch(/Access could not be checked just now, for anybody/);
    expect(JSON.stringify(first)).not.toMatch(OF_THE_VAULT);
    expect(JSON.stringify(second)).toContain(COMMAND);
  });

  it("hears nothing as a guest, until the access file names them", async () => {
    const world = await createLeakWorld();
    expect(await repliesTo(world, () => world.slack.say(guest, "D0GAST", BOARD))).toEqual([]);

    world.setPolicy(policyWith("readers: [everyone]", `readers: [everyone, ${guest}]`));
    const named = await repliesTo(world, () => world.slack.say(guest, "D0GAST", BOARD));
    const other = await repliesTo(world, () => world.slack.say(guest, "D0GAST", STUCK));

    expect(JSON.stringify(named)).toContain("boardctl");
    expect(JSON.stringify(other)).not.toMatch(OF_THE_VAULT);
  });

  it.each(["orders pile up in the outbox", "nachtfalter is stuck", "nachtfaltes is stuck", "help"])(
    "hears nothing as a person of another workspace: %s",
    async (text) => {
      const world = await createLeakWorld();

      const replies = await repliesTo(world, () => world.slack.say(partner, "C0WIDE", `<@U0RUNBOT> ${text}`));

      expect(replies).toEqual([]);
    },
  );

  it.each([
    [
      "a missing scope",
      (world: BotWorld) => world.slack.fault("usergroups.list", { kind: "error", error: "missing_scope", times: 99 }),
    ],
    [
      "a plan without groups",
      (world: BotWorld) =>
        world.slack.fault("usergroups.list", { kind: "error", error: "plan_upgrade_required", times: 99 }),
    ],
    [
      "a rate limit",
      (world: BotWorld) => world.slack.fault("usergroups.list", { kind: "ratelimited", retryAfter: 60, times: 99 }),
    ],
    [
      "a group that was disabled",
      (world: BotWorld) => void (world.slack.world.usergroups[1]!.date_delete = 1_796_000_000),
    ],
    ["a group of another company", (world: BotWorld) => void (world.slack.world.usergroups[1]!.is_external = true)],
  ])("is in no group with %s", async (_why, spoil) => {
    const world = await createLeakWorld();
    spoil(world);

    const replies = await repliesTo(world, () => world.slack.say(kim, "D0KIM", STUCK));

    expect(JSON.stringify(replies)).not.toMatch(/vaultctl|rotation-stuck|scope|plan|group_/);
  });
});

describe("a reply is for all who can read it", () => {
  it("is not posted when the place became another between search and post", async () => {
    const slackWorld = leakSlack();
    const world: BotWorld = await createLeakWorld("sqlite", {
      world: slackWorld,
      around: (answer) => async (message, audience) => {
        const answered = await answer(message, audience);
        slackWorld.channels.find(({ id }) => id === "C0FREE")!.is_pending_ext_shared = true;
        return answered;
      },
    });

    await repliesTo(world, () => world.slack.say(lou, "C0FREE", `<@U0RUNBOT> ${BOARD}`));

    expect(publicly(world)).toEqual([]);
    expect(world.slack.posted.every(({ visibleTo }) => visibleTo === lou)).toBe(true);
  });

  it("is not posted when the person was taken out of the group in the meantime", async () => {
    const slackWorld = leakSlack();
    const world: BotWorld = await createLeakWorld("sqlite", {
      world: slackWorld,
      around: (answer) => async (message, audience) => {
        const answered = await answer(message, audience);
        slackWorld.usergroups[1]!.users = [];
        await world.slack.deliverEvent({ type: "subteam_members_changed", subteam_id: "S0VAULT" });
        return answered;
      },
    });

    await repliesTo(world, () => world.slack.say(kim, "D0KIM", STUCK));

    expect(JSON.stringify(world.slack.posted)).not.toMatch(/vaultctl|rotation-stuck/);
  });

  it("goes to the asker alone in a channel shared with another company", async () => {
    const world = await createLeakWorld();

    await repliesTo(world, () => world.slack.say(kim, "C0WIDE", `<@U0RUNBOT> ${STUCK}`));
    await repliesTo(world, () => world.slack.say(lou, "C0WIDE", `<@U0RUNBOT> ${BOARD}`));

    expect(publicly(world)).toEqual([]);
    expect(world.slack.visibleTo(partner, "C0WIDE").filter(({ bot_id: bot }) => bot !== undefined)).toEqual([]);
    expect(JSON.stringify(world.slack.posted)).toContain(COMMAND);
  });

  it("goes by what the channel is now, in the middle of a thread", async () => {
    const world = await createLeakWorld();
    const { ts } = await world.slack.say(lou, "C0FREE", `<@U0RUNBOT> ${BOARD}`);
    await world.slack.waitFor(() => publicly(world).length === 1);

    world.slack.world.channels.find(({ id }) => id === "C0FREE")!.is_ext_shared = true;
    await world.slack.deliverEvent({ type: "channel_shared", channel: "C0FREE" });
    await repliesTo(world, () =>
      world.slack.say(lou, "C0FREE", "<@U0RUNBOT> is the board still down?", { threadTs: ts }),
    );

    expect(publicly(world)).toHaveLength(1);
  });

  it("leaves no trace in a channel that may not show it, not even the question", async () => {
    const world = await createLeakWorld();

    const replies = await repliesTo(world, () => world.slack.type(kim, "C0SHOP", STUCK));

    expect(replies.map(({ visibleTo }) => visibleTo)).toEqual([kim]);
    expect(JSON.stringify(replies)).toContain(COMMAND);
    expect(world.slack.visibleTo(mia, "C0SHOP")).toEqual([]);
  });

  it("lends the channel's right to nobody", async () => {
    const world = await createLeakWorld();

    const hidden = await repliesTo(world, () => world.slack.type(mia, "C0SAFE", "nachtfalter is stuck"));
    const absent = await repliesTo(world, () => world.slack.type(mia, "C0SAFE", "nachtfaltes is stuck"));

    expect(bytesOf(hidden, "nachtfalter")).toBe(bytesOf(absent, "nachtfaltes"));
  });

  it("gives a second person in the thread their own rights", async () => {
    const world = await createLeakWorld();
    await repliesTo(world, () => world.slack.type(kim, "C0SAFE", STUCK));
    const [root] = publicly(world);
    const { ts } = await world.slack.say(mia, "C0SAFE", "something else happened");

    const inThread = await repliesTo(world, () =>
      world.slack.say(lou, "C0SAFE", "<@U0RUNBOT> and then?", { threadTs: root!.ts }),
    );
    const elsewhere = await repliesTo(world, () =>
      world.slack.say(lou, "C0SAFE", "<@U0RUNBOT> and then?", { threadTs: ts }),
    );

    expect(bytesOf(inThread)).toBe(bytesOf(elsewhere));
    expect(JSON.stringify(inThread)).not.toMatch(OF_THE_VAULT);
  });

  it("is for every member of a group message", async () => {
    const world = await createLeakWorld();

    const replies = await repliesTo(world, () => world.slack.say(kim, "G0BOTH", `<@U0RUNBOT> ${STUCK}`));

    expect(replies.map(({ visibleTo }) => visibleTo)).toEqual([kim]);
    expect(world.slack.visibleTo(lou, "G0BOTH").filter(({ bot_id: bot }) => bot !== undefined)).toEqual([]);
  });
});

describe("the other doors", () => {
  it("answer a forged button with nothing", async () => {
    const world = await createLeakWorld();
    await repliesTo(world, () => world.slack.type(kim, "C0SAFE", STUCK));
    const before = world.slack.posted.length;

    const forged = (user: string) => ({
      type: "block_actions",
      team: { id: "T0ACME" },
      user: { id: user },
      channel: { id: "C0SAFE" },
      actions: [{ action_id: "show_more", value: "vault/rotation-stuck", block_id: "b", type: "button" }],
      response_url: "",
    });
    await Promise.all([lou, partner, guest].map((user) => world.slack.deliver(forged(user), { noRetries: true })));
    await world.slack.settle(600);

    expect(JSON.stringify(world.slack.posted.slice(before))).not.toMatch(OF_THE_VAULT);
  });

  it("help everybody with the same words, which name no service", async () => {
    const world = await createLeakWorld();

    const [forKim, forLou] = [
      await repliesTo(world, () => world.slack.type(kim, "C0SHOP", "help")),
      await repliesTo(world, () => world.slack.type(lou, "C0SHOP", "help")),
    ];

    expect(bytesOf(forKim, kim)).toBe(bytesOf(forLou, lou));
    expect(JSON.stringify(forKim)).not.toMatch(/vault|orders|notices|nachtfalter/i);
    expect(await repliesTo(world, () => world.slack.type(guest, "C0SHOP", "help"))).toEqual([]);
  });

  it("write neither a question nor a page's words into the log", async () => {
    const world = await createLeakWorld();

    await repliesTo(world, () => world.slack.type(kim, "C0SAFE", STUCK));
    await repliesTo(world, () => world.slack.type(lou, "C0SAFE", "nachtfalter is stuck"));

    expect(world.logged()).toContain("question_handled");
    expect(world.logged()).not.toMatch(/nachtfalter|vaultctl|is stuck|rotation/i);
  });
});
