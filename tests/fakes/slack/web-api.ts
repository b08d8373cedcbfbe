import { findMessageFault } from "./check-message.ts";
import type { SlackChannel, SlackMessageRecord, SlackWorld } from "./slack-world.ts";

export type ApiArguments = Record<string, unknown>;
export type ApiResult = { ok: boolean; error?: string } & Record<string, unknown>;

/** What the methods change and read besides the world. */
export interface Board {
  readonly messages: SlackMessageRecord[];
  nextTs(): string;
  socketUrl(): string;
}

type Method = (args: ApiArguments, world: SlackWorld, board: Board) => ApiResult;
const fail = (error: string, more: Record<string, unknown> = {}): ApiResult => ({ ok: false, error, ...more });
const field = (args: ApiArguments, name: string): string => (typeof args[name] === "string" ? args[name] : "");

const METHODS: Record<string, { scope?: string; appToken?: boolean; run: Method }> = {
  "auth.test": {
    run: (_args, { teamId, bot }) => ({
      ok: true,
      team_id: teamId,
      user_id: bot.userId,
      bot_id: bot.botId,
      url: "https://acme.slack.test/",
    }),
  },
  "apps.connections.open": { appToken: true, run: (_args, _world, board) => ({ ok: true, url: board.socketUrl() }) },
  "users.info": {
    scope: "users:read",
    run(args, { users }) {
      const user = users.find(({ id }) => id === field(args, "user"));
      return user === undefined ? fail("user_not_found") : { ok: true, user };
    },
  },
  "usergroups.list": { scope: "usergroups:read", run: (_args, { usergroups }) => ({ ok: true, usergroups }) },
  "conversations.info": {
    scope: "channels:read",
    run(args, world) {
      const channel = findChannel(args, world);
      if (typeof channel === "string") return fail(channel);
      const { id, name, kind, is_ext_shared = false, is_pending_ext_shared = false, is_archived = false } = channel;
      const kinds = {
        is_channel: kind === "channel",
        is_group: kind === "group",
        is_im: kind === "im",
        is_mpim: kind === "mpim",
      };
      return { ok: true, channel: { id, name, ...kinds, is_ext_shared, is_pending_ext_shared, is_archived } };
    },
  },
  "conversations.members": {
    scope: "channels:read",
    run(args, world) {
      const channel = findChannel(args, world);
      return typeof channel === "string"
        ? fail(channel)
        : { ok: true, members: channel.members, response_metadata: { next_cursor: "" } };
    },
  },
  "conversations.replies": {
    scope: "channels:history",
    run(args, world, { messages }) {
      const channel = findChannel(args, world);
      if (typeof channel === "string") return fail(channel);
      const thread = messages.filter(
        (message) =>
          message.channel === channel.id &&
          message.visibleTo === undefined &&
          (message.ts === args["ts"] || message.thread_ts === args["ts"]),
      );
      return thread.length === 0 ? fail("thread_not_found") : page(args, thread);
    },
  },
  "conversations.history": {
    scope: "channels:history",
    run(args, world, { messages }) {
      const channel = findChannel(args, world);
      if (typeof channel === "string") return fail(channel);
      const roots = messages.filter(
        ({ channel: id, visibleTo, thread_ts: thread, ts }) =>
          id === channel.id && visibleTo === undefined && (thread === undefined || thread === ts),
      );
      return page(args, roots.toReversed());
    },
  },
  "chat.postMessage": { scope: "chat:write", run: (args, world, board) => post(args, world, board) },
  "chat.postEphemeral": {
    scope: "chat:write",
    run(args, world, board) {
      const user = field(args, "user");
      const channel = world.channels.find(({ id }) => id === args["channel"]);
      if (channel !== undefined && !channel.members.includes(user)) return fail("user_not_in_channel");
      const posted = post(args, world, board, user);
      return posted.ok ? { ok: true, message_ts: posted["ts"] } : posted;
    },
  },
  "assistant.threads.setStatus": { scope: "chat:write", run: () => ({ ok: true }) },
};

/** Answers one call as Slack's Web API would: token, scope, then the method. */
export function answerCall(
  method: string,
  token: string,
  args: ApiArguments,
  world: SlackWorld,
  board: Board,
): ApiResult {
  const known = METHODS[method];
  if (known === undefined) return fail("unknown_method", { req_method: method });
  if (token === "") return fail("not_authed");
  const { bot } = world;
  if (token !== (known.appToken === true ? bot.appToken : bot.botToken)) return fail("invalid_auth");
  if (known.scope !== undefined && !bot.scopes.includes(known.scope)) {
    return fail("missing_scope", { needed: known.scope, provided: bot.scopes.join(",") });
  }
  return known.run(args, world, board);
}

/** Public channels are visible to the bot; the others only as a member. */
function findChannel(args: ApiArguments, { channels, bot }: SlackWorld): SlackChannel | string {
  const channel = channels.find(({ id }) => id === args["channel"]);
  if (channel === undefined) return "channel_not_found";
  return channel.kind === "channel" || channel.members.includes(bot.userId) ? channel : "channel_not_found";
}

function post(args: ApiArguments, world: SlackWorld, board: Board, visibleTo?: string): ApiResult {
  const channel = findChannel(args, world);
  if (typeof channel === "string") return fail(channel);
  const { bot } = world;
  if (channel.is_archived === true) return fail("is_archived");
  if (!channel.members.includes(bot.userId)) return fail("not_in_channel");
  const message = {
    text: field(args, "text"),
    ...(args["blocks"] === undefined ? {} : { blocks: args["blocks"] as unknown[] }),
  };
  const fault = findMessageFault(message);
  if (fault !== null) return fail(fault, { response_metadata: { messages: [`[ERROR] ${fault}`] } });
  const ts = board.nextTs();
  const thread = field(args, "thread_ts");
  board.messages.push({
    channel: channel.id,
    ts,
    ...(thread === "" ? {} : { thread_ts: thread }),
    user: bot.userId,
    bot_id: bot.botId,
    ...message,
    ...(args["metadata"] === undefined ? {} : { metadata: args["metadata"] }),
    ...(visibleTo === undefined ? {} : { visibleTo }),
  });
  return { ok: true, channel: channel.id, ts };
}

function page(args: ApiArguments, all: readonly SlackMessageRecord[]): ApiResult {
  const limit = Number(args["limit"] ?? 100);
  const from = Number(field(args, "cursor") || 0);
  const messages = all.slice(from, from + limit);
  const more = from + limit < all.length;
  return { ok: true, messages, has_more: more, response_metadata: { next_cursor: more ? String(from + limit) : "" } };
}
