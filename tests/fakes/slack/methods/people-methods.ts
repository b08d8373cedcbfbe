import type { Board } from "../board.ts";
import type { SlackUser, SlackUsergroup, SlackWorld } from "../slack-world.ts";
import { field, flag, pageOf, refuse, type Methods } from "./method.ts";

export const peopleMethods: Methods = {
  "auth.test": {
    run: (_args, { world: { teamId, domain = "acme", enterpriseId, bot } }) => ({
      url: `https://${domain}.slack.com/`,
      team: domain,
      user: bot.name ?? "runbook-bot",
      team_id: teamId,
      user_id: bot.userId,
      bot_id: bot.botId,
      ...(enterpriseId === undefined ? {} : { enterprise_id: enterpriseId }),
      is_enterprise_install: false,
    }),
  },
  "users.conversations": {
    optional: ["types", "exclude_archived", "limit", "cursor"],
    run(args, { world }) {
      const types = field(args, "types").split(",");
      const joined = world.channels.filter(
        ({ kind, members }) =>
          members.includes(world.bot.userId) &&
          types.includes({ channel: "public_channel", group: "private_channel", im: "im", mpim: "mpim" }[kind]),
      );
      const { items, next } = pageOf(args, joined, 100);
      return {
        channels: items.map(({ id, name, is_ext_shared = false }) => ({ id, name, is_ext_shared })),
        response_metadata: { next_cursor: next },
      };
    },
  },
  "team.info": {
    scopes: ["team:read"],
    optional: ["team", "domain"],
    run: (_args, { world: { teamId, domain = "acme", enterpriseId } }) => ({
      team: { id: teamId, name: domain, domain, ...(enterpriseId && { enterprise_id: enterpriseId }) },
    }),
  },
  "users.info": {
    scopes: ["users:read"],
    required: ["user"],
    optional: ["include_locale"],
    run(args, board) {
      const user = everyone(board).find(({ id }) => id === field(args, "user"));
      return user === undefined ? refuse("user_not_found") : { user: describeUser(user, board.world) };
    },
  },
  "users.list": {
    scopes: ["users:read"],
    optional: ["cursor", "limit", "include_locale", "team_id"],
    run(args, board) {
      const { items, next } = pageOf(args, everyone(board), 200);
      const members = items.map((user) => describeUser(user, board.world));
      return { members, cache_ts: Math.floor(board.now() / 1000), response_metadata: { next_cursor: next } };
    },
  },
  "usergroups.list": {
    scopes: ["usergroups:read"],
    optional: ["include_count", "include_disabled", "include_users", "team_id"],
    run(args, { world }) {
      if (world.plan === "free") refuse("plan_upgrade_required");
      const shown = world.usergroups.filter((group) => flag(args, "include_disabled") || !isDisabled(group));
      return {
        usergroups: shown.map(({ users, date_delete = 0, is_external = false, ...group }) => ({
          team_id: world.teamId,
          is_usergroup: true,
          name: group.handle,
          ...group,
          is_external,
          date_delete,
          ...(flag(args, "include_users") ? { users: [...users] } : {}),
          ...(flag(args, "include_count") ? { user_count: users.length } : {}),
        })),
      };
    },
  },
};

function isDisabled({ date_delete }: SlackUsergroup): boolean {
  return (date_delete ?? 0) !== 0;
}

/** The people of the world, the bot's own user, and Slackbot, which looks like a person. */
function everyone({ world: { users, bot, teamId } }: Board): SlackUser[] {
  const full = { team_id: teamId, deleted: false, is_restricted: false, is_ultra_restricted: false };
  const built: SlackUser[] = [
    { ...full, id: bot.userId, name: bot.name ?? "runbook-bot", is_bot: true },
    { ...full, id: "USLACKBOT", name: "slackbot", is_bot: false },
  ];
  return [...users, ...built.filter(({ id }) => !users.some((user) => user.id === id))];
}

const GUEST_FLAGS = new Set(["is_restricted", "is_ultra_restricted"]);

function describeUser(user: SlackUser, { teamId, channels, bot }: SlackWorld): Record<string, unknown> {
  const known = user.deleted === true ? withoutFlags(user) : user;
  const sharesChannel = channels.some(({ members }) => members.includes(user.id) && members.includes(bot.userId));
  const realName = user.real_name ?? user.name;
  return {
    ...known,
    real_name: realName,
    profile: { real_name: realName, display_name: user.name, team: user.team_id },
    tz: "Etc/UTC",
    // False for people of other workspaces too, once they share a channel with us.
    is_stranger: user.team_id !== teamId && !sharesChannel,
  };
}

/** A deactivated user's record has neither of the guest flags (brekkylab/backlot#293). */
function withoutFlags(user: SlackUser): Record<string, unknown> {
  return Object.fromEntries(Object.entries(user).filter(([name]) => !GUEST_FLAGS.has(name)));
}
