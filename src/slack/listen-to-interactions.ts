import type { App } from "@slack/bolt";

import { ClickPayload, CommandPayload, ShortcutPayload } from "./incoming-question.ts";
import { readChoice, readMore } from "./read-choice.ts";
import { readMessageText } from "./read-message-text.ts";
import { readMode } from "./read-mode.ts";
import type { Listeners } from "./register-listeners.ts";
import { CHOOSE_SERVICE, SHOW_MORE } from "./render-answer.ts";

export const FIND_RUNBOOK = "find_runbook";

interface Interactions extends Pick<Listeners, "identity" | "state" | "accept" | "log"> {
  readonly ownResponseUrl: (address: string, channelId: string) => string | null;
}

/** Commands, the message shortcut, and buttons: each is acknowledged first, and then worked on. */
export function listenToInteractions(app: App, { identity, state, accept, ownResponseUrl, log }: Interactions): void {
  const isForeign = (team: string | null | undefined) => (team ?? identity.teamId) !== identity.teamId;

  app.command("/runbook", async ({ ack, payload }) => {
    await ack();
    const command = CommandPayload.parse(payload);
    const { text, links } = readMessageText({ text: command.text });
    accept({
      kind: "command",
      ...readMode("command", text),
      links,
      claims: [`trigger:${command.trigger_id}`],
      channelId: command.channel_id,
      userId: command.user_id,
      isForeign: false,
      ts: null,
      threadTs: null,
      isReply: false,
      responseUrl: ownResponseUrl(command.response_url, command.channel_id),
    });
  });

  // A command can't be typed in a thread; a message's menu is there, too.
  app.shortcut({ type: "message_action", callback_id: FIND_RUNBOOK }, async ({ ack, body }) => {
    await ack();
    const { trigger_id, user, channel, response_url, message } = ShortcutPayload.parse(body);
    accept({
      kind: "shortcut",
      mode: "answer",
      ...readMessageText(message),
      claims: [`trigger:${trigger_id}`],
      channelId: channel.id,
      userId: user.id,
      isForeign: isForeign(user.team_id),
      ts: message.ts,
      threadTs: message.thread_ts ?? message.ts,
      isReply: message.thread_ts !== undefined && message.thread_ts !== message.ts,
      responseUrl: ownResponseUrl(response_url, channel.id),
    });
  });

  app.action(SHOW_MORE, async ({ ack, body }) => {
    await ack();
    const click = ClickPayload.parse(body);
    const question = readMore(click, state);
    if (question === null) return log.warn({ userId: click.user.id }, "click_refused");
    const responseUrl = ownResponseUrl(click.response_url, question.channelId);
    accept({ ...question, isForeign: isForeign(click.user.team_id), responseUrl });
  });

  app.action(new RegExp(`^${CHOOSE_SERVICE}:\\d+$`), async ({ ack, body }) => {
    await ack();
    const click = ClickPayload.parse(body);
    const question = readChoice(click, state);
    if (question === null) return log.warn({ userId: click.user.id }, "click_refused");
    const responseUrl = ownResponseUrl(click.response_url, question.channelId);
    accept({ ...question, isForeign: isForeign(click.user.team_id), responseUrl });
  });
}
