import { isReply, standingIn, type ApiArguments, type Board } from "../board.ts";
import type { SlackChannel, SlackMessageRecord } from "../slack-world.ts";
import { findConversation, missingScope } from "./find-conversation.ts";
import { field, flag, pageOf, refuse, type Methods } from "./method.ts";

const TIMELINE = ["cursor", "limit", "oldest", "latest", "inclusive", "include_all_metadata"];

export const conversationMethods: Methods = {
  "conversations.info": {
    required: ["channel"],
    optional: ["include_locale", "include_num_members"],
    run(args, board) {
      const channel = findConversation(board, field(args, "channel"), { right: "read", member: false });
      return { channel: describeChannel(channel, board, flag(args, "include_num_members")) };
    },
  },
  "conversations.members": {
    required: ["channel"],
    optional: ["cursor", "limit"],
    run(args, board) {
      const channel = findConversation(board, field(args, "channel"), { right: "read", member: false });
      const { items, next } = pageOf(args, channel.members, 100);
      return { members: items, response_metadata: { next_cursor: next } };
    },
  },
  "conversations.history": {
    required: ["channel"],
    optional: TIMELINE,
    run(args, board) {
      const { id } = findConversation(board, field(args, "channel"), { right: "history", member: true });
      const shown = standingIn(board, id).filter(
        (message) => !isReply(message) || message.subtype === "thread_broadcast",
      );
      return timeline(args, board, shown.toReversed().filter(isWithin(args)), 100);
    },
  },
  "conversations.replies": {
    required: ["channel", "ts"],
    optional: TIMELINE,
    run(args, board) {
      const { id } = findConversation(board, field(args, "channel"), { right: "history", member: true });
      const ts = field(args, "ts");
      const thread = standingIn(board, id).filter((message) => message.ts === ts || message.thread_ts === ts);
      if (thread.length === 0) refuse("thread_not_found");
      // Assumed: the first message always comes, whatever the time range.
      const within = isWithin(args);
      const shown = thread.filter((message) => message.ts === ts || within(message));
      return timeline(args, board, shown, 1000);
    },
  },
  "conversations.open": {
    optional: ["users", "channel", "return_im", "prevent_creation"],
    run(args, board) {
      const { world } = board;
      const users = field(args, "users").split(",").filter(Boolean);
      const kind = users.length > 1 ? "mpim" : "im";
      if (!world.bot.scopes.includes(`${kind}:write`)) throw missingScope([`${kind}:write`], world.bot.scopes);
      if (users.some((user) => !world.users.some(({ id }) => id === user))) refuse("user_not_found");
      const members = [...users, world.bot.userId];
      const found = world.channels.find(
        (channel) =>
          channel.id === field(args, "channel") ||
          (channel.kind === kind && channel.members.toSorted().join() === members.toSorted().join()),
      );
      if (found === undefined && users.length === 0) refuse("channel_not_found");
      const channel = found ?? { id: board.nextId(kind === "im" ? "D" : "G"), name: "", kind, members };
      if (found === undefined) world.channels.push(channel);
      return { already_open: found !== undefined, channel: { id: channel.id } };
    },
  },
};

/** Direct messages have no name and lack the sharing flags unless they are shared. */
function describeChannel(channel: SlackChannel, { world }: Board, withCount: boolean): Record<string, unknown> {
  const { id, name, kind, members, is_archived = false } = channel;
  const { is_ext_shared = false, is_pending_ext_shared = false } = channel;
  const kinds = { is_channel: kind === "channel", is_group: kind === "group" };
  const person = members.find((member) => member !== world.bot.userId);
  const shared = { is_shared: is_ext_shared, is_ext_shared, is_pending_ext_shared };
  return {
    id,
    ...kinds,
    is_im: kind === "im",
    is_mpim: kind === "mpim",
    is_private: kind !== "channel",
    is_archived,
    context_team_id: world.teamId,
    ...(kind === "im"
      ? { user: person, ...(is_ext_shared ? shared : {}) }
      : { name, is_member: members.includes(world.bot.userId), ...shared }),
    ...(withCount ? { num_members: members.length } : {}),
  };
}

function isWithin(args: ApiArguments): (message: SlackMessageRecord) => boolean {
  const oldest = Number(field(args, "oldest") || 0);
  const latest = Number(field(args, "latest") || Number.MAX_SAFE_INTEGER);
  const inclusive = flag(args, "inclusive");
  return ({ ts }) =>
    inclusive ? Number(ts) >= oldest && Number(ts) <= latest : Number(ts) > oldest && Number(ts) < latest;
}

function timeline(args: ApiArguments, board: Board, all: readonly SlackMessageRecord[], usual: number) {
  const { items, next } = pageOf(args, all, usual);
  const withMetadata = flag(args, "include_all_metadata");
  return {
    messages: items.map((message) => describeMessage(message, board, withMetadata)),
    has_more: next !== "",
    response_metadata: { next_cursor: next },
  };
}

/** A message as the API gives it. Assumed: metadata comes only when asked for. */
export function describeMessage(record: SlackMessageRecord, board: Board, withMetadata: boolean) {
  const { visibleTo: _reader, channel, metadata, ...message } = record;
  const replies = standingIn(board, channel).filter((other) => isReply(other) && other.thread_ts === record.ts);
  return {
    type: "message",
    ...message,
    ...(withMetadata && metadata !== undefined ? { metadata } : {}),
    ...(replies.length === 0
      ? {}
      : {
          thread_ts: record.ts,
          reply_count: replies.length,
          reply_users: [...new Set(replies.map(({ user }) => user))],
          latest_reply: replies.at(-1)?.ts,
        }),
  };
}
