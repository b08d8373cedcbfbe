import type { AccessPolicy } from "../access/access-policy.ts";
import { redactMessage } from "../answering/mask-secrets.ts";
import type { Answer, AudienceAnswer } from "../domain.ts";
import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import { createChangeReply, ONLY_YOU, renderAnswered } from "./change-reply.ts";
import { errorCode } from "./describe-error.ts";
import { escapeLabel } from "./escape-text.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import { createKeepAnswer } from "./keep-answer.ts";
import { renderLinks } from "./render-links.ts";
import type { Poster, PostOptions } from "./post-message.ts";
import { renderQuestion, renderReply, type Sentence, type SlackMessage } from "./render-answer.ts";
import { forAll, forAsker, recorded, type DeliveryOptions, type Shown } from "./shown.ts";

export interface DeliverReply {
  /** Puts an answer where it belongs. Gives what was done, for the log. */
  answer(question: IncomingQuestion, answer: AudienceAnswer, options: DeliveryOptions): Promise<string>;
  /** Tells the asker alone. */
  alone(question: IncomingQuestion, message: SlackMessage, options: PostOptions): Promise<void>;
}

/** The bot can't post there: the person who typed the command is told how to change that. */
const NOT_IN_CHANNEL = new Set(["not_in_channel", "channel_not_found", "is_archived", "restricted_action"]);

/**
 * What everyone may see goes into the thread; what only the asker may see, and every "nothing found", goes to the asker
 * alone. An alert has no asker: it is answered in its thread or not at all.
 */
export function createDeliverReply({
  poster,
  policy,
  state,
  botName,
  log,
}: {
  readonly poster: Poster;
  readonly policy: () => AccessPolicy;
  readonly state: BotState;
  readonly botName: string;
  readonly log: Logger;
}): DeliverReply {
  const inviteHint: Sentence = {
    sentence: `I am not in this channel, so only you see this. To let the channel see answers: /invite @${escapeLabel(botName)}`,
  };

  async function alone(question: IncomingQuestion, message: SlackMessage, options: PostOptions): Promise<void> {
    const { channelId, threadTs, userId, responseUrl, kind, isReply } = question;
    if (kind === "direct_message") {
      await poster.post({ channelId, threadTs }, message, options);
      return;
    }
    if (responseUrl !== null) {
      try {
        return await poster.respond(responseUrl, message, options);
      } catch (error) {
        log.warn({ channelId, reason: errorCode(error) }, "response_url_failed");
      }
    }
    // Slack shows an ephemeral message in a thread only where the thread has replies already.
    if (userId !== null) {
      const thread = isReply ? threadTs : null;
      await poster.postEphemeral({ channelId, threadTs: thread }, userId, message, options);
    }
  }

  /** Gives the thread in which the message stands. */
  async function toEveryone(
    question: IncomingQuestion,
    message: SlackMessage,
    options: DeliveryOptions,
    shown: readonly Shown[],
  ) {
    const { channelId, userId } = question;
    let { threadTs } = question;
    // A command was typed to the bot alone until now: a secret in it must not become the channel's.
    const text = await redactMessage(question.text);
    if (threadTs === null) {
      const root = renderQuestion(userId ?? "", text);
      threadTs = await poster.post({ channelId, threadTs }, root, { ...options, postId: `${options.postId}-root` });
      options.onPosted(threadTs);
    }
    await poster.post({ channelId, threadTs }, message, recorded(options, shown));
    options.onPosted(threadTs);
    state.conversations.remember({ channelId, threadTs }, userId, text);
    return threadTs;
  }

  const keepAnswer = createKeepAnswer(state);
  const changes = createChangeReply({ poster, policy, state, keepAnswer, alone });
  return {
    alone,
    async answer(question, { shared, callerOnly }, options) {
      const answerId = options.postId;
      const forOne = { ...options, postId: `${answerId}-alone` };
      const render = (...parts: (Answer | Sentence)[]) => renderAnswered(parts, policy().linkTemplate, answerId);
      if (question.wantsMore) return await changes.showMore(question, { shared, callerOnly }, forOne);
      const { editOf } = question;
      if (editOf !== null) return await changes.edit({ ...question, editOf }, { shared, callerOnly }, options);
      await keepAnswer(question, shared.kind === "answered" ? shared : (callerOnly ?? shared), answerId);
      if (question.kind === "alert") {
        if (shared.kind !== "answered") return "alert_unanswered";
        await toEveryone(question, render(shared), options, [forAll(shared)]);
        return "alert_answered";
      }
      if (question.mode === "search" || question.mode === "private") {
        const message = question.mode === "search" ? renderLinks(shared, policy().linkTemplate) : render(shared);
        await alone(question, message, recorded(forOne, [forAsker(shared, "caller")]));
        return `${question.mode}_${shared.kind}`;
      }
      if (shared.kind !== "answered" && question.kind !== "direct_message") {
        const hint = options.botIsOutside && question.responseUrl !== null ? [inviteHint] : [];
        const shown = callerOnly === null ? forAsker(shared, "shared") : forAsker(callerOnly, "caller");
        await alone(question, render(shown.answer, ...hint), recorded(forOne, [shown]));
        return "answered_alone";
      }
      try {
        const readByAll = question.kind === "direct_message" ? forAsker(shared, "shared") : forAll(shared);
        const threadTs = await toEveryone(question, render(shared), options, [readByAll]);
        if (callerOnly !== null) {
          const rest = recorded(forOne, [forAsker(callerOnly, "caller")]);
          await alone(
            { ...question, threadTs, isReply: true },
            renderReply([ONLY_YOU, callerOnly], { linkTemplate: policy().linkTemplate, answerId: "" }),
            rest,
          );
        }
        return shared.kind;
      } catch (error) {
        if (question.responseUrl === null || !NOT_IN_CHANNEL.has(errorCode(error))) throw error;
        const parts = callerOnly === null ? [shared] : [shared, callerOnly];
        const shown = parts.map((answer) => forAsker(answer, answer === shared ? "shared" : "caller"));
        await alone(question, render(...parts, inviteHint), recorded(forOne, shown));
        return "not_in_channel";
      }
    },
  };
}
