import { isReply, standingIn, threadExists, type ApiArguments, type Board } from "../board.ts";
import { checkMessage, LONGEST_TEXT } from "../check-message.ts";
import { withBlockIds } from "../find-elements.ts";
import { findAutoParsed, findMalformedMarkup } from "../live-markup.ts";
import type { SlackChannel, SlackMessageRecord } from "../slack-world.ts";
import { findConversation, findPostable } from "./find-conversation.ts";
import { field, flag, refuse, type Methods } from "./method.ts";

const CONTENT = ["text", "blocks", "attachments", "markdown_text"];
const LOOKS = ["as_user", "icon_emoji", "icon_url", "link_names", "parse", "username"];

export const chatMethods: Methods = {
  "chat.postMessage": {
    scopes: ["chat:write"],
    required: ["channel"],
    optional: [
      ...CONTENT,
      ...LOOKS,
      "metadata",
      "mrkdwn",
      "reply_broadcast",
      "thread_ts",
      "unfurl_links",
      "unfurl_media",
    ],
    run(args, board) {
      const channel = findPostable(board, field(args, "channel"));
      const message = put(args, board, channel, {});
      board.notify({ type: "message", ...message });
      return { channel: channel.id, ts: message.ts, message: { type: "message", ...message } };
    },
  },
  "chat.postEphemeral": {
    scopes: ["chat:write"],
    required: ["channel", "user"],
    optional: [...CONTENT, ...LOOKS, "thread_ts"],
    run(args, board) {
      const channel = findPostable(board, field(args, "channel"));
      const user = field(args, "user");
      if (!channel.members.includes(user)) refuse("user_not_in_channel");
      const thread = field(args, "thread_ts");
      const hasReplies = standingIn(board, channel.id).some((other) => isReply(other) && other.thread_ts === thread);
      if (thread !== "" && !hasReplies) {
        board.violations.push({ method: "chat.postEphemeral", what: "not shown: that thread has no replies yet" });
      }
      return { message_ts: put(args, board, channel, { visibleTo: user }).ts };
    },
  },
  "chat.update": {
    scopes: ["chat:write"],
    required: ["channel", "ts"],
    optional: [...CONTENT, "as_user", "file_ids", "link_names", "metadata", "parse", "reply_broadcast"],
    run(args, board) {
      const message = findOwn(args, board, "cant_update_message");
      const before = { ...message };
      const content = contentOf(args, board, "chat.update");
      for (const name of ["blocks", "attachments"] as const) delete message[name];
      Object.assign(message, content, { edited: { user: board.world.bot.userId, ts: board.nextTs() } });
      board.notify(changed(message, before, board.nextTs()));
      return { channel: message.channel, ts: message.ts, text: message.text };
    },
  },
  "chat.delete": {
    scopes: ["chat:write"],
    required: ["channel", "ts"],
    optional: ["as_user"],
    run(args, board) {
      const message = findOwn(args, board, "cant_delete_message");
      board.messages.splice(board.messages.indexOf(message), 1);
      board.notify(deleted(message, board.nextTs()));
      return { channel: message.channel, ts: message.ts };
    },
  },
  "chat.getPermalink": {
    required: ["channel", "message_ts"],
    run(args, board) {
      const { id } = findConversation(board, field(args, "channel"), { right: "read", member: false });
      const message = standingIn(board, id).find(({ ts }) => ts === field(args, "message_ts"));
      if (message === undefined) refuse("message_not_found");
      const path = `archives/${id}/p${message.ts.replace(".", "")}`;
      const thread = isReply(message) ? `?thread_ts=${message.thread_ts}&cid=${id}` : "";
      return { channel: id, permalink: `https://${board.world.domain ?? "acme"}.slack.com/${path}${thread}` };
    },
  },
};

/** Checks a message's content as Slack does; what Slack lets pass although it shows badly becomes a violation. */
export function contentOf(args: ApiArguments, board: Board, method: string) {
  const { blocks, attachments } = args;
  const text = field(args, "text") || field(args, "markdown_text");
  const message = { text, blocks, attachments };
  const fault = checkMessage(message, { wholePayload: method !== "response_url" });
  const violation = (what: string) => board.violations.push({ method, what });
  if (fault !== null) {
    violation(`${fault.error} ${fault.messages.join("; ")}`.trim());
    refuse(fault.error, fault.messages);
  }
  if (text.length > LONGEST_TEXT / 10) violation("text is longer than the advised 4,000 characters");
  if (flag(args, "link_names") || args["parse"] === "full") violation("link_names or parse makes plain words live");
  for (const broken of findMalformedMarkup(message)) violation(`broken markup: ${broken.slice(0, 80)}`);
  for (const loose of findAutoParsed(message)) violation(`not verbatim, and names everyone: ${loose.slice(0, 80)}`);
  return {
    text,
    ...(blocks === undefined ? {} : { blocks: withBlockIds(blocks as unknown[]) }),
    ...(attachments === undefined ? {} : { attachments: attachments as unknown[] }),
  };
}

/** Puts a message of the bot into a channel, for all or for one. */
export function put(
  args: ApiArguments,
  board: Board,
  channel: SlackChannel,
  { visibleTo, method = "chat.postMessage" }: { visibleTo?: string | undefined; method?: string },
): SlackMessageRecord {
  const { bot } = board.world;
  const content = contentOf(args, board, method);
  const { metadata } = args;
  if (metadata !== undefined && !isMetadata(metadata)) refuse("invalid_metadata_format");
  const thread = field(args, "thread_ts");
  // Assumed: Slack takes a thread_ts that names nothing.
  if (thread !== "" && !threadExists(board, channel.id, thread)) {
    board.violations.push({ method, what: `thread_ts ${thread} names no message` });
  }
  const message: SlackMessageRecord = {
    channel: channel.id,
    ts: board.nextTs(),
    ...(thread === "" ? {} : { thread_ts: thread }),
    ...(flag(args, "reply_broadcast") ? { subtype: "thread_broadcast" } : {}),
    user: bot.userId,
    bot_id: bot.botId,
    app_id: bot.appId,
    ...content,
    ...(metadata === undefined ? {} : { metadata }),
    ...(visibleTo === undefined ? {} : { visibleTo }),
  };
  board.messages.push(message);
  // A post in the thread ends the status there.
  const status = board.statuses.findIndex(({ channel: id, threadTs }) => id === channel.id && threadTs === thread);
  if (status >= 0 && visibleTo === undefined) board.statuses.splice(status, 1);
  return message;
}

function isMetadata(value: unknown): boolean {
  const { event_type: type, event_payload: payload } = value as { event_type?: unknown; event_payload?: unknown };
  return typeof type === "string" && typeof payload === "object" && payload !== null;
}

/** The bot changes its own messages only; ephemeral ones not at all. */
function findOwn(args: ApiArguments, board: Board, refusal: string): SlackMessageRecord {
  const channel = findPostable(board, field(args, "channel"));
  const message = standingIn(board, channel.id).find(({ ts }) => ts === field(args, "ts"));
  if (message === undefined) refuse("message_not_found");
  return message.bot_id === board.world.bot.botId ? message : refuse(refusal);
}

export function changed(message: SlackMessageRecord, before: SlackMessageRecord, ts: string) {
  const { channel } = message;
  const nested = (record: SlackMessageRecord) => ({ type: "message", ...record });
  const both = { message: nested(message), previous_message: nested(before) };
  return { type: "message", subtype: "message_changed", hidden: true, channel, ts, event_ts: ts, ...both };
}

export function deleted(message: SlackMessageRecord, ts: string) {
  const { channel, ts: deletedTs } = message;
  const previous = { previous_message: { type: "message", ...message } };
  const times = { deleted_ts: deletedTs, ts, event_ts: ts };
  return { type: "message", subtype: "message_deleted", hidden: true, channel, ...times, ...previous };
}
