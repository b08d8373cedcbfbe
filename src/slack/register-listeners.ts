import type { App } from "@slack/bolt";
import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { Logger } from "../logger.ts";
import {
  appIds,
  CommandPayload,
  isFromApp,
  isFromPerson,
  MessageEvent,
  messageKey,
  type IncomingQuestion,
} from "./incoming-question.ts";
import { isResolved, readMessageText } from "./read-message-text.ts";
import { HELP, renderSentence, type SlackMessage } from "./render-answer.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface Listeners {
  readonly teamId: string;
  readonly botUserId: string;
  readonly policy: () => AccessPolicy;
  readonly whoIsWho: WhoIsWho;
  /** Starts the work and returns at once: Slack waits three seconds for the acknowledgement. */
  readonly accept: (question: IncomingQuestion) => void;
  readonly log: Logger;
}

const Envelope = z.looseObject({ event_id: z.string(), team_id: z.string().optional() });

/** Everything that Slack can trigger. */
export function registerListeners(app: App, listeners: Listeners): void {
  const { accept, policy, whoIsWho, botUserId, teamId } = listeners;
  const mention = `<@${botUserId}>`;

  app.command("/runbook", async ({ ack, payload, respond }) => {
    await ack();
    const command = CommandPayload.parse(payload);
    if (command.team_id !== teamId) return;
    const answerAlone = async ({ text, blocks }: SlackMessage) => {
      await respond({ response_type: "ephemeral", replace_original: false, text, blocks });
    };
    if (/^\s*(?:help)?\s*$/i.test(command.text)) return answerAlone({ ...renderSentence(HELP), text: HELP });
    accept({
      kind: "command",
      claims: [`trigger:${command.trigger_id}`],
      channelId: command.channel_id,
      userId: command.user_id,
      isForeign: false,
      text: readMessageText({ text: command.text }).text,
      threadTs: null,
      isReply: false,
      respond: answerAlone,
    });
  });

  app.event("app_mention", async ({ event, body }) => {
    const message = MessageEvent.parse(event);
    if (isFromPerson(message)) acceptMessage("mention", message, body);
  });

  app.message(async ({ message: event, body }) => {
    const parsed = MessageEvent.safeParse(event);
    if (!parsed.success) return;
    const message = parsed.data;
    if (isFromPerson(message)) {
      if (message.channel_type === "im") acceptMessage("direct_message", message, body);
      else if (message.channel_type === "mpim" && message.text?.includes(mention))
        acceptMessage("mention", message, body);
    } else if (isFromApp(message) && isAwaitedAlert(message, policy(), mention)) {
      acceptMessage("alert", message, body);
    }
  });

  for (const change of ["subteam_members_changed", "subteam_updated"] as const) {
    app.event(change, async () => whoIsWho.refreshGroups());
  }
  // Places are asked of Slack for every reply, so a channel that turns shared needs nothing here but its acknowledgement.
  for (const change of ["channel_shared", "channel_unshared"] as const) {
    app.event(change, async ({ event }) => listeners.log.info({ channelId: event.channel, change }, "channel_changed"));
  }

  function acceptMessage(kind: "mention" | "direct_message" | "alert", message: MessageEvent, body: unknown): void {
    const envelope = Envelope.parse(body);
    if (envelope.team_id !== undefined && envelope.team_id !== teamId) return;
    const withoutMention = { ...message, text: message.text?.replaceAll(mention, " ") };
    const otherTeam = [message.user_team, message.source_team].some((team) => team !== undefined && team !== teamId);
    accept({
      kind,
      claims: [`event:${envelope.event_id}`, messageKey(message)],
      channelId: message.channel,
      userId: kind === "alert" ? null : (message.user ?? null),
      isForeign: otherTeam,
      text: readMessageText(withoutMention).text,
      // A direct message reads like a talk; elsewhere the reply stays with the message.
      threadTs: message.thread_ts ?? message.ts,
      isReply: message.thread_ts !== undefined && message.thread_ts !== message.ts,
      respond: null,
    });
  }
}

/** A firing alert of an app that the access file lists for this watched channel, and that does not talk to the bot. */
function isAwaitedAlert(message: MessageEvent, policy: AccessPolicy, mention: string): boolean {
  const channel = policy.channels.get(message.channel);
  if (channel === undefined || !channel.watch) return false;
  if (!appIds(message).some((id) => channel.answerAlertsFrom.includes(id))) return false;
  const { text } = readMessageText(message);
  return text !== "" && !isResolved(text) && !JSON.stringify(message).includes(mention);
}
