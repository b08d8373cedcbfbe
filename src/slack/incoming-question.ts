import { z } from "zod";

import { MessageContent } from "./read-message-text.ts";
import type { SlackMessage } from "./render-answer.ts";

/** Something that the bot may answer, whichever way it came. */
export interface IncomingQuestion {
  readonly kind: "command" | "mention" | "direct_message" | "alert";
  /** Any of them taken: the same message under another name. */
  readonly claims: readonly string[];
  readonly channelId: string;
  /** Null for an alert. */
  readonly userId: string | null;
  /** The event itself says that the person is of another workspace. */
  readonly isForeign: boolean;
  readonly text: string;
  /** Addresses behind its words. */
  readonly links: readonly string[];
  /** The message itself; null for a command, which has none. */
  readonly ts: string | null;
  /** Where a reply belongs; null for a command, which has no message. */
  readonly threadTs: string | null;
  /** Was it said inside a thread? */
  readonly isReply: boolean;
  /** For a command: answers the caller alone, whether or not the bot is in the channel. */
  readonly respond: ((message: SlackMessage) => Promise<void>) | null;
}

/** The fields that we read of `app_mention` and `message` events. */
export const MessageEvent = MessageContent.extend({
  channel: z.string(),
  channel_type: z.string().optional(),
  ts: z.string(),
  thread_ts: z.string().optional(),
  subtype: z.string().optional(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  app_id: z.string().optional(),
  hidden: z.boolean().optional(),
  edited: z.unknown().optional(),
  user_team: z.string().nullish(),
  source_team: z.string().nullish(),
  bot_profile: z.looseObject({ app_id: z.string().optional() }).optional().catch(undefined),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

export const CommandPayload = z.looseObject({
  trigger_id: z.string(),
  user_id: z.string(),
  channel_id: z.string(),
  response_url: z.string().default(""),
  text: z.string().default(""),
});

const HUMAN_SUBTYPES = new Set([undefined, "file_share", "thread_broadcast", "me_message"]);

/** Said by a person just now: no edit, no join, no other bot. */
export function isFromPerson(event: Pick<MessageEvent, "user" | "bot_id" | "hidden" | "edited" | "subtype">): boolean {
  return (
    event.user !== undefined &&
    event.user !== "USLACKBOT" &&
    event.bot_id === undefined &&
    event.hidden !== true &&
    event.edited === undefined &&
    HUMAN_SUBTYPES.has(event.subtype)
  );
}

/** Posted by an app as a message of its own, not as a reply in a thread. */
export function isFromApp(event: MessageEvent): boolean {
  const startsThread = event.thread_ts === undefined || event.thread_ts === event.ts;
  const isPost = event.subtype === undefined || event.subtype === "bot_message";
  return event.bot_id !== undefined && startsThread && isPost && event.hidden !== true && event.edited === undefined;
}

/** App and bot ids under which an app's post is known. */
export function appIds(event: MessageEvent): string[] {
  return [event.app_id, event.bot_profile?.app_id, event.bot_id].filter((id) => id !== undefined);
}

/** One human message has one place, whatever number of deliveries bring it. */
export function messageKey(event: Pick<MessageEvent, "channel" | "ts">): string {
  return `message:${event.channel}:${event.ts}`;
}
