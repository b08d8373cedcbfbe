import type { App } from "@slack/bolt";
import { z } from "zod";

import { errorCode } from "./describe-error.ts";
import {
  appIds,
  deletedKey,
  isFromApp,
  isFromPerson,
  MessageChange,
  MessageEvent,
  messageKey,
  type NewQuestion,
} from "./incoming-question.ts";
import { readEdit } from "./read-edit.ts";
import { readAlertState } from "./read-alert-state.ts";
import { readMessageText } from "./read-message-text.ts";
import { readMode } from "./read-mode.ts";
import type { Listeners } from "./register-listeners.ts";

/** What is answered in a thread of the bot's: mentions only, or also what plainly asks it something. */
export type ThreadReplies = "mentions" | "questions";

const Envelope = z.looseObject({ event_id: z.string() });

/** What people and apps say in channels and direct messages. */
export function listenToMessages(
  app: App,
  { identity, policy, state, threadReplies, accept, whenAnswered, log }: Omit<Listeners, "showHome">,
): void {
  const mention = new RegExp(`<@${identity.botUserId}(?:\\|[^<>]*)?>`, "g");
  const mentionsBot = (text: string) => text.search(mention) >= 0;
  const callsBot = new RegExp(`^\\s*(?:hey\\s+|hi\\s+)?@?${RegExp.escape(identity.botName)}\\b`, "i");

  app.event("app_mention", async ({ event, body }) => {
    const message = MessageEvent.parse(event);
    if (isFromPerson(message)) acceptMessage("mention", message, body);
  });

  app.message(async ({ message: event, body }) => {
    const change = MessageChange.safeParse(event);
    if (change.success) return followChange(change.data, body);
    const parsed = MessageEvent.safeParse(event);
    if (!parsed.success) return;
    const message = parsed.data;
    if (isFromPerson(message)) {
      const { channel_type: place, text = "" } = message;
      if (place === "im") acceptMessage("direct_message", message, body);
      else if ((place === "mpim" && mentionsBot(text)) || asksInOwnThread(message))
        acceptMessage("mention", message, body);
    } else if (isAwaitedAlert(message)) acceptMessage("alert", message, body);
  });

  /** Deleted: nothing further is posted. Edited soon after: its answer is edited. */
  function followChange(change: MessageChange, body: unknown): void {
    const { channel, subtype, deleted_ts, message, previous_message: before } = change;
    const deletedTs = subtype === "message_deleted" ? deleted_ts : message?.subtype === "tombstone" ? message.ts : null;
    if (typeof deletedTs === "string") {
      state.claims.take([deletedKey({ channelId: channel, ts: deletedTs })]);
      return;
    }
    if (message === undefined || message.text === before?.text) return;
    const edit = readEdit({ ...message, channel }, state);
    if (edit === null) {
      // Still being answered, in the words of before: the answer changes when it stands.
      const answered = whenAnswered(messageKey({ ...message, channel }));
      const again = answered?.then(() => followChange(change, body));
      void again?.catch((error: unknown) => log.error({ reason: errorCode(error) }, "edit_lost"));
      return;
    }
    const read = readMessageText({ ...message, text: message.text?.replaceAll(mention, " ") });
    accept({ ...edit, ...read, claims: [`event:${Envelope.parse(body).event_id}`] });
  }

  function acceptMessage(kind: "mention" | "direct_message" | "alert", message: MessageEvent, body: unknown): void {
    const envelope = Envelope.parse(body);
    const { text, links } = readMessageText({ ...message, text: message.text?.replaceAll(mention, " ") });
    const otherTeam = [message.user_team, message.source_team].some(
      (team) => (team ?? identity.teamId) !== identity.teamId,
    );
    const question: NewQuestion = {
      kind,
      ...readMode(kind, text),
      links,
      claims: [`event:${envelope.event_id}`, messageKey(message)],
      channelId: message.channel,
      userId: kind === "alert" ? null : (message.user ?? null),
      isForeign: otherTeam,
      ts: message.ts,
      // A direct message reads like a talk; elsewhere the reply stays with the message.
      threadTs: message.thread_ts ?? message.ts,
      isReply: message.thread_ts !== undefined && message.thread_ts !== message.ts,
      responseUrl: null,
    };
    accept(question);
  }

  /** Said in a thread that the bot answered in, to nobody else by name, and a question or by the bot's name. */
  function asksInOwnThread({ channel: channelId, thread_ts: threadTs, ts, text = "" }: MessageEvent): boolean {
    if (threadReplies !== "questions" || threadTs === undefined || threadTs === ts) return false;
    // A mention of the bot comes as an event of its own, and one of somebody else is for them.
    if (/<[@!]/.test(text) || !(callsBot.test(text) || /\?\s*$/.test(text))) return false;
    return state.conversations.turns({ channelId, threadTs }).length > 0;
  }

  /** A firing alert of an app that the access file lists for this watched channel, and that does not talk to the bot. */
  function isAwaitedAlert(message: MessageEvent): boolean {
    const channel = policy().channels.get(message.channel);
    if (channel === undefined || !channel.watch || !isFromApp(message)) return false;
    if (!appIds(message).some((id) => channel.answerAlertsFrom.includes(id))) return false;
    if (readMessageText(message).text === "" || readAlertState(message) === "resolved") return false;
    return !mentionsBot(JSON.stringify(message));
  }
}
