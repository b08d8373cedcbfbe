import { isReply, standingIn, type Board } from "./board.ts";
import { findMentions } from "./live-markup.ts";
import type { SlackMessageRecord } from "./slack-world.ts";

export interface Notification {
  readonly channel: string;
  readonly ts: string;
  /** `@U…`, `!subteam^S…`, `!channel`, `!here`, `!everyone`. */
  readonly who: string;
}

/** What one person sees in a channel: the messages of all, and the ephemeral ones that are theirs. */
export function visibleTo(
  board: Board,
  userId: string,
  channelId: string,
  { threadTs }: { threadTs?: string } = {},
): SlackMessageRecord[] {
  const { channels, users } = board.world;
  const channel = channels.find(({ id }) => id === channelId);
  const user = users.find(({ id }) => id === userId);
  const isGuest = user?.is_restricted === true || user?.is_ultra_restricted === true;
  // Anybody but a guest can look into a public channel.
  const mayLook = channel?.members.includes(userId) || (channel?.kind === "channel" && !isGuest);
  if (!mayLook) return [];
  return board.messages
    .filter((message) => message.channel === channelId && isShown(board, message, userId))
    .filter(({ ts, thread_ts: thread }) => threadTs === undefined || ts === threadTs || thread === threadTs)
    .toSorted((one, other) => Number(one.ts) - Number(other.ts));
}

/** Ephemeral messages that one person has been shown, in every channel. */
export function ephemeralsOf(board: Board, userId: string): SlackMessageRecord[] {
  return board.messages.filter((message) => message.visibleTo === userId && isShown(board, message, userId));
}

/** A thread as everyone in the channel sees it. */
export function threadOf(board: Board, channelId: string, ts: string): SlackMessageRecord[] {
  return standingIn(board, channelId).filter((message) => message.ts === ts || message.thread_ts === ts);
}

/** Whom the bot's posts notified. An ephemeral one reaches its reader only. */
export function notifiedBy(board: Board): Notification[] {
  return board.messages
    .filter(({ bot_id: bot }) => bot === board.world.bot.botId)
    .flatMap((message) => findMentions(message).map((who) => ({ channel: message.channel, ts: message.ts, who })));
}

/** @throws when the person does not see that message. */
export function findSeen(board: Board, userId: string, channelId: string, ts: string): SlackMessageRecord {
  const found = visibleTo(board, userId, channelId).find((message) => message.ts === ts);
  if (found === undefined) throw new Error(`${userId} sees no message ${ts} in ${channelId}`);
  return found;
}

/** An ephemeral message in a thread is shown only when the thread had replies already. */
function isShown(board: Board, message: SlackMessageRecord, userId: string): boolean {
  if (message.visibleTo === undefined) return true;
  if (message.visibleTo !== userId) return false;
  if (!isReply(message)) return true;
  return standingIn(board, message.channel).some(
    (other) => other.thread_ts === message.thread_ts && isReply(other) && Number(other.ts) < Number(message.ts),
  );
}
