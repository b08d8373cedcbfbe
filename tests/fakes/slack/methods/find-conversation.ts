import type { Board } from "../board.ts";
import type { SlackChannel } from "../slack-world.ts";
import { Refusal, refuse } from "./method.ts";

const FAMILIES = { channel: "channels", group: "groups", im: "im", mpim: "mpim" } as const;

/**
 * A conversation that the bot may read or list. Private ones that it is not in do not exist for it. Slack wants the scope
 * of that kind of conversation; which of "not found" and "missing scope" it says first is assumed.
 */
export function findConversation(
  { world: { channels, bot } }: Board,
  channelId: string,
  { right, member }: { right: "read" | "history"; member: boolean },
): SlackChannel {
  const wanted = Object.values(FAMILIES).map((family) => `${family}:${right}`);
  if (!wanted.some((scope) => bot.scopes.includes(scope))) throw missingScope(wanted, bot.scopes);
  const channel = channels.find(({ id }) => id === channelId);
  if (channel === undefined) refuse("channel_not_found");
  const isMember = channel.members.includes(bot.userId);
  if (channel.kind !== "channel" && !isMember) refuse("channel_not_found");
  const scope = `${FAMILIES[channel.kind]}:${right}`;
  if (!bot.scopes.includes(scope)) throw missingScope([scope], bot.scopes);
  if (member && !isMember) refuse("not_in_channel");
  return channel;
}

/** A conversation that the bot may post to. A person's id stands for the direct message with them. */
export function findPostable({ world: { channels, bot } }: Board, channelId: string): SlackChannel {
  const channel = channels.find(
    ({ id, kind, members }) =>
      id === channelId || (kind === "im" && members.includes(channelId) && members.includes(bot.userId)),
  );
  if (channel === undefined) refuse("channel_not_found");
  const isMember = channel.members.includes(bot.userId);
  if (channel.kind !== "channel" && !isMember) refuse("channel_not_found");
  if (channel.is_archived === true) refuse("is_archived");
  if (!isMember && !bot.scopes.includes("chat:write.public")) refuse("not_in_channel");
  return channel;
}

export function missingScope(needed: readonly string[], provided: readonly string[]): Refusal {
  return new Refusal("missing_scope", { needed: needed.join(","), provided: provided.join(",") });
}
