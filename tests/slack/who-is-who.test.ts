import { afterEach, describe, expect, it, vi } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { createLogger } from "../../src/logger.ts";
import { createWhoIsWho, type DirectoryClient } from "../../src/slack/who-is-who.ts";

const policy = parseAccessFile(
  `services:
  a: { owner: team, runbooks: ["*.md"], readers: [team] }
groups:
  team: { slack_usergroup: S0TEAM }
`,
  "access.yaml",
);
const MEMBER = {
  id: "U0A",
  team_id: "T0ACME",
  deleted: false,
  is_bot: false,
  is_restricted: false,
  is_ultra_restricted: false,
};
const TEAM = { id: "S0TEAM", users: ["U0A"], date_delete: 0 };

interface Directory {
  user: object;
  usergroups: object[] | Error;
  channel: object;
  members: string[];
  /** Happens while the list of groups is on its way. */
  listed: () => Promise<void>;
}

/** Slack's answers; an Error is thrown. */
function slackSays(answers: Partial<Directory> = {}) {
  const says: Directory = {
    user: MEMBER,
    usergroups: [TEAM],
    channel: {},
    members: [],
    listed: async () => undefined,
    ...answers,
  };
  const give = <T>(value: T | Error): T => {
    if (value instanceof Error) throw value;
    return value;
  };
  const client: DirectoryClient = {
    users: { info: async () => ({ ok: true, user: give(says.user) }) },
    usergroups: {
      async list() {
        const answer = says.usergroups;
        await says.listed();
        return { ok: true, usergroups: give(answer) };
      },
    },
    conversations: {
      info: async () => ({ ok: true, channel: give(says.channel) }),
      members: async () => ({ ok: true, members: says.members }),
    },
  };
  const log = createLogger("silent");
  const whoIsWho = createWhoIsWho({ client, teamId: "T0ACME", botUserId: "U0BOT", policy: () => policy, log });
  return { says, whoIsWho };
}
const refusal = (error: string) => Object.assign(new Error(error), { data: { ok: false, error } });

afterEach(() => vi.useRealTimers());

describe("who is who", () => {
  it.each([
    ["a full member", MEMBER, "member"],
    ["a guest of several channels", { ...MEMBER, is_restricted: true }, "guest"],
    ["a guest of one channel", { ...MEMBER, is_ultra_restricted: true }, "guest"],
    [
      "somebody of another workspace who is no stranger",
      { ...MEMBER, team_id: "T0OTHER", is_stranger: false },
      "foreign",
    ],
    ["a deactivated user, whose record lacks the flags", { id: "U0A", team_id: "T0ACME", deleted: true }, "unknown"],
    ["a deactivated user whose record has all flags", { ...MEMBER, deleted: true }, "unknown"],
    ["a record without any flag", { id: "U0A", team_id: "T0ACME" }, "unknown"],
    [
      "a record without the guest flags",
      { ...MEMBER, is_restricted: undefined, is_ultra_restricted: undefined },
      "unknown",
    ],
    ["a record without its workspace", { ...MEMBER, team_id: undefined }, "unknown"],
    ["a bot", { ...MEMBER, is_bot: true }, "unknown"],
    ["a record of somebody else", { ...MEMBER, id: "U0B" }, "unknown"],
  ])("takes %s for %s", async (_name, user, standing) => {
    const { whoIsWho } = slackSays({ user });

    const { principal, checked } = await whoIsWho.principal("U0A");

    expect({ standing: principal.standing, checked }).toEqual({ standing, checked: true });
    expect(principal.usergroups.size).toBe(standing === "member" ? 1 : 0);
  });

  it.each(["USLACKBOT", "U0BOT"])("takes %s for nobody without asking", async (userId) => {
    const { whoIsWho } = slackSays({ user: new Error("must not be asked") });

    expect((await whoIsWho.principal(userId)).principal.standing).toBe("unknown");
  });

  it("says so when Slack could not tell, and asks again the next time", async () => {
    const { says, whoIsWho } = slackSays({ user: refusal("user_not_visible") });

    const failed = await whoIsWho.principal("U0A");
    says.user = MEMBER;
    const next = await whoIsWho.principal("U0A");

    expect(failed).toMatchObject({ principal: { standing: "unknown" }, checked: false });
    expect(next).toMatchObject({ principal: { standing: "member" }, checked: true });
  });

  it("takes Slack's `user_not_found` as an answer", async () => {
    const { whoIsWho } = slackSays({ user: refusal("user_not_found") });

    expect(await whoIsWho.principal("U0A")).toMatchObject({ principal: { standing: "unknown" }, checked: true });
  });

  it.each([
    ["was deleted", { ...TEAM, date_delete: 1_796_000_000 }],
    ["belongs to another workspace", { ...TEAM, is_external: true }],
    ["comes without its members", { id: "S0TEAM" }],
  ])("knows no members of a group that %s", async (_name, group) => {
    const { whoIsWho } = slackSays({ usergroups: [group] });

    expect((await whoIsWho.principal("U0A")).principal.usergroups.size).toBe(0);
  });
});

describe("user groups", () => {
  const groupsOf = async (whoIsWho: ReturnType<typeof slackSays>["whoIsWho"]) =>
    (await whoIsWho.principal("U0A")).principal.usergroups.size;

  it("notices within a minute that somebody left, without any event", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { says, whoIsWho } = slackSays();
    expect(await groupsOf(whoIsWho)).toBe(1);

    says.usergroups = [];
    vi.setSystemTime(Date.now() + 61_000);

    expect(await groupsOf(whoIsWho)).toBe(0);
  });

  it("uses an old answer for one more minute while Slack is down, then none", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    const { says, whoIsWho } = slackSays();
    await groupsOf(whoIsWho);

    says.usergroups = new Error("down");
    vi.setSystemTime(Date.now() + 100_000);
    const soon = await groupsOf(whoIsWho);
    vi.setSystemTime(Date.now() + 30_000);

    expect([soon, await groupsOf(whoIsWho)]).toEqual([1, 0]);
  });

  it("forgets everything on an event, also while Slack is down", async () => {
    const { says, whoIsWho } = slackSays();
    await groupsOf(whoIsWho);

    says.usergroups = new Error("down");
    whoIsWho.refreshGroups();

    expect(await groupsOf(whoIsWho)).toBe(0);
  });

  it("does not believe an answer that was on its way when somebody left", async () => {
    const { says, whoIsWho } = slackSays();
    says.listed = async () => {
      says.listed = async () => undefined;
      says.usergroups = [];
      whoIsWho.refreshGroups();
    };

    expect(await groupsOf(whoIsWho)).toBe(0);
    expect(await groupsOf(whoIsWho)).toBe(0);
  });
});

describe("places", () => {
  it.each([
    ["an internal channel", { is_ext_shared: false, is_pending_ext_shared: false }, false],
    ["a shared channel", { is_ext_shared: true }, true],
    ["a channel about to be shared", { is_ext_shared: false, is_pending_ext_shared: true }, true],
    ["a channel whose record does not say", {}, true],
    ["a channel that Slack can't show", refusal("channel_not_found"), true],
    ["a channel while Slack is down", new Error("down"), true],
  ])("takes %s for shared: %s", async (_name, channel, shared) => {
    const { whoIsWho } = slackSays({ channel });

    expect((await whoIsWho.place("C0X")).shared).toBe(shared);
  });

  it("lists the members of a group direct message, itself left out", async () => {
    const { whoIsWho } = slackSays({ channel: { is_mpim: true }, members: ["U0A", "U0BOT"] });

    const { kind, members } = await whoIsWho.place("G0X");

    expect(kind).toBe("group_direct_message");
    expect(members?.map(({ userId }) => userId)).toEqual(["U0A"]);
  });
});
