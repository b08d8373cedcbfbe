import type { App, RespondFn } from "@slack/bolt";
import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { Logger } from "../logger.ts";
import { isSlacksAddress } from "./check-response-url.ts";
import type { OwnWorkspace } from "./guard-deliveries.ts";
import {
  appIds,
  CommandPayload,
  isFromApp,
  isFromPerson,
  MessageEvent,
  messageKey,
  type IncomingQuestion,
} from "./incoming-question.ts";
import { readAlertState } from "./read-alert-state.ts";
import { readMessageText } from "./read-message-text.ts";
import type { SlackMessage } from "./render-answer.ts";
import { CHOICE_ACTION, ChoicePayload, readChoice } from "./service-choice.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface BotIdentity extends OwnWorkspace {
  readonly botUserId: string;
  readonly botName: string;
}

export interface Listeners {
  readonly identity: BotIdentity;
  readonly policy: () => AccessPolicy;
  readonly whoIsWho: WhoIsWho;
  /** Starts the work and returns at once: Slack waits three seconds for the acknowledgement. */
  readonly accept: (question: IncomingQuestion) => void;
  /** SLACK_API_URL: whose host answers may be sent to. */
  readonly apiUrl: string;
  readonly log: Logger;
}

const Envelope = z.looseObject({ event_id: z.string() });

/** Everything that Slack can trigger; what is not for this workspace never comes here (guard-deliveries.ts). */
export function registerListeners(app: App, { identity, policy, whoIsWho, accept, apiUrl, log }: Listeners): void {
  const mention = new RegExp(`<@${identity.botUserId}(?:\\|[^<>]*)?>`, "g");
  const mentionsBot = (text: string) => text.search(mention) >= 0;

  app.command("/runbook", async ({ ack, payload, respond }) => {
    await ack();
    const command = CommandPayload.parse(payload);
    const mayRespond = isSlacksAddress(command.response_url, apiUrl);
    if (!mayRespond)
      log.error({ alarm: "response_url_refused", channelId: command.channel_id }, "response_url_refused");
    accept({
      kind: "command",
      claims: [`trigger:${command.trigger_id}`],
      channelId: command.channel_id,
      userId: command.user_id,
      isForeign: false,
      ...readMessageText({ text: command.text }),
      ts: null,
      threadTs: null,
      isReply: false,
      respond: mayRespond ? respondAlone(respond) : null,
    });
  });

  app.action(CHOICE_ACTION, async ({ ack, body, respond }) => {
    await ack();
    const pressed = ChoicePayload.safeParse(body);
    const text = readChoice(pressed.data?.actions[0]?.value ?? "");
    if (!pressed.success || text === null) return;
    const { user, channel, container, response_url: address } = pressed.data;
    const mayRespond = typeof address === "string" && isSlacksAddress(address, apiUrl);
    const isDirect = channel.id.startsWith("D");
    accept({
      kind: isDirect ? "direct_message" : "command",
      claims: [`choice:${channel.id}:${container.message_ts}:${user.id}:${text}`],
      channelId: channel.id,
      userId: user.id,
      isForeign: (user.team_id ?? identity.teamId) !== identity.teamId,
      text,
      links: [],
      ts: null,
      threadTs: container.thread_ts ?? null,
      isReply: false,
      respond: mayRespond && !isDirect ? respondAlone(respond) : null,
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
      else if (message.channel_type === "mpim" && mentionsBot(message.text ?? ""))
        acceptMessage("mention", message, body);
    } else if (isAwaitedAlert(message)) acceptMessage("alert", message, body);
  });

  for (const change of ["subteam_members_changed", "subteam_updated"] as const) {
    app.event(change, async () => whoIsWho.refreshGroups());
  }
  // Places are asked of Slack for every reply, so a channel that turns shared needs nothing here but its acknowledgement.
  for (const change of ["channel_shared", "channel_unshared"] as const) {
    app.event(change, async ({ event }) => log.info({ channelId: event.channel, change }, "channel_changed"));
  }

  function acceptMessage(kind: "mention" | "direct_message" | "alert", message: MessageEvent, body: unknown): void {
    const envelope = Envelope.parse(body);
    const withoutMention = { ...message, text: message.text?.replaceAll(mention, " ") };
    const otherTeam = [message.user_team, message.source_team].some(
      (team) => (team ?? identity.teamId) !== identity.teamId,
    );
    accept({
      kind,
      claims: [`event:${envelope.event_id}`, messageKey(message)],
      channelId: message.channel,
      userId: kind === "alert" ? null : (message.user ?? null),
      isForeign: otherTeam,
      ...readMessageText(withoutMention),
      ts: message.ts,
      // A direct message reads like a talk; elsewhere the reply stays with the message.
      threadTs: message.thread_ts ?? message.ts,
      isReply: message.thread_ts !== undefined && message.thread_ts !== message.ts,
      respond: null,
    });
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

function respondAlone(respond: RespondFn): (message: SlackMessage) => Promise<void> {
  return async ({ text, blocks }) => {
    const alone = { response_type: "ephemeral", replace_original: false } as const;
    await respond({ ...alone, text, unfurl_links: false, unfurl_media: false, ...(blocks && { blocks }) });
  };
}
