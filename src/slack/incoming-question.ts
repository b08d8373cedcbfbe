import { z } from "zod";

import { MessageContent } from "./read-message-text.ts";

/** Something that the bot may answer, whichever way it came. Plain data: the outbox keeps it until it is answered. */
export const IncomingQuestion = z
  .object({
    kind: z.enum(["command", "mention", "direct_message", "shortcut", "alert"]),
    /** Any of them taken: the same message under another name. */
    claims: z.array(z.string()).readonly(),
    /** `private`: for the asker alone. `search`: links only, for the asker alone. */
    mode: z.enum(["answer", "private", "search", "status", "help"]).default("answer"),
    channelId: z.string(),
    /** Null for an alert. */
    userId: z.string().nullable(),
    /** The event itself says that the person is of another workspace. */
    isForeign: z.boolean(),
    text: z.string(),
    /** Addresses behind its words. */
    links: z.array(z.string()).readonly(),
    /** The message itself; null for a command, which has none. */
    ts: z.string().nullable(),
    /** Where a reply belongs; null for a command, which has no message. */
    threadTs: z.string().nullable(),
    /** Was it said inside a thread? */
    isReply: z.boolean(),
    /** For a command or a click: answers the caller alone, whether or not the bot is in the channel. */
    responseUrl: z.string().nullable(),
    /** The service that the asker chose by a button; who may not see it (any more) is told nothing. */
    chosenService: z.string().nullable().default(null),
    /** The answer to the question before it was edited: it is changed, and no second one is posted. */
    editOf: z.string().nullable().default(null),
    /** The asker pressed "Show more": the checks that the answer had no room for, for them alone. */
    wantsMore: z.boolean().default(false),
    /** Earlier turns of the thread as they were when it was asked; null: still to be read. */
    thread: z.array(z.string()).nullable().default(null),
  })
  .readonly();
export type IncomingQuestion = z.infer<typeof IncomingQuestion>;
/** A question as it comes in: what is left out has its usual value. */
export type NewQuestion = z.input<typeof IncomingQuestion>;

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

/** A button that was pressed. An ephemeral message does not come along, so its place is all that says where it stood. */
export const ClickPayload = z.looseObject({
  trigger_id: z.string().default(""),
  user: z.looseObject({ id: z.string(), team_id: z.string().nullish() }),
  channel: z.looseObject({ id: z.string() }).optional(),
  container: z.looseObject({ channel_id: z.string().optional() }).optional(),
  response_url: z.string().default(""),
  actions: z.array(z.looseObject({ action_id: z.string(), value: z.string().default("") })).min(1),
});

/** The message shortcut: somebody points at a message, inside a thread or not. */
export const ShortcutPayload = z.looseObject({
  trigger_id: z.string(),
  user: z.looseObject({ id: z.string(), team_id: z.string().nullish() }),
  channel: z.looseObject({ id: z.string() }),
  response_url: z.string().default(""),
  message: MessageContent.extend({ ts: z.string(), thread_ts: z.string().optional() }),
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

/** A message that was edited or deleted; a deleted one with replies stays as a tombstone. */
export const MessageChange = z.looseObject({
  channel: z.string(),
  subtype: z.enum(["message_changed", "message_deleted"]),
  deleted_ts: z.string().optional(),
  message: MessageEvent.omit({ channel: true }).optional(),
  previous_message: MessageEvent.omit({ channel: true }).optional(),
});
export type MessageChange = z.infer<typeof MessageChange>;

/** Taken as a claim when a question is deleted. */
export function deletedKey({ channelId, ts }: { readonly channelId: string; readonly ts: string }): string {
  return `deleted:${channelId}:${ts}`;
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
