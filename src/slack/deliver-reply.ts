import type { AccessPolicy } from "../access/access-policy.ts";
import type { AudienceAnswer } from "../domain.ts";
import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import type { Poster } from "./post-message.ts";
import { joinMessages, renderAnswer, renderQuestion, renderSentence, type SlackMessage } from "./render-answer.ts";
import { errorCode } from "./who-is-who.ts";

export interface DeliverReply {
  /** Puts an answer where it belongs. Gives what was done, for the log. */
  answer(question: IncomingQuestion, answer: AudienceAnswer, answerId: string, onPosted: () => void): Promise<string>;
  /** Tells the asker alone; a failure is logged, not thrown. */
  alone(question: IncomingQuestion, message: SlackMessage): Promise<void>;
}

/** The bot can't post there: the person who typed the command is told how to change that. */
const NOT_IN_CHANNEL = new Set(["not_in_channel", "channel_not_found", "is_archived", "restricted_action"]);
const INVITE_HINT =
  "I am not in this channel, so only you see this. To let the channel see answers: /invite @runbook-bot";

/**
 * What everyone may see goes into the thread; what only the asker may see, and every "nothing found", goes to the asker
 * alone. An alert has no asker: it is answered in its thread or not at all.
 */
export function createDeliverReply({
  poster,
  policy,
  state,
  log,
}: {
  readonly poster: Poster;
  readonly policy: () => AccessPolicy;
  readonly state: BotState;
  readonly log: Logger;
}): DeliverReply {
  const render = (answer: AudienceAnswer["shared"]) => renderAnswer(answer, policy().linkTemplate);

  async function alone(question: IncomingQuestion, message: SlackMessage): Promise<void> {
    const { channelId, threadTs, userId, respond, kind } = question;
    try {
      if (respond !== null) await respond(message);
      else if (kind === "direct_message")
        await poster.post({ channelId, threadTs }, message, `alone-${threadTs ?? ""}`);
      else if (userId !== null) {
        const thread = question.isReply ? threadTs : null;
        await poster.postEphemeral({ channelId, threadTs: thread }, userId, message);
      }
    } catch (error) {
      log.error({ channelId, kind, reason: errorCode(error) }, "reply_to_asker_failed");
    }
  }

  async function toEveryone(
    question: IncomingQuestion,
    message: SlackMessage,
    answerId: string,
    onPosted: () => void,
  ): Promise<void> {
    const { channelId, userId, text } = question;
    let { threadTs } = question;
    if (threadTs === null) {
      threadTs = await poster.post(
        { channelId, threadTs: null },
        renderQuestion(userId ?? "", text),
        `${answerId}-root`,
      );
      onPosted();
    }
    state.rememberTurn({ channelId, threadTs }, text);
    await poster.post({ channelId, threadTs }, message, answerId);
    onPosted();
  }

  return {
    alone,
    async answer(question, { shared, callerOnly }, answerId, onPosted) {
      if (question.kind === "alert") {
        if (shared.kind !== "answered") return "alert_unanswered";
        await toEveryone(question, render(shared), answerId, onPosted);
        return "alert_answered";
      }
      if (shared.kind !== "answered" && question.kind !== "direct_message") {
        await alone(question, render(callerOnly ?? shared));
        return "answered_alone";
      }
      try {
        await toEveryone(question, render(shared), answerId, onPosted);
      } catch (error) {
        if (question.respond === null || !NOT_IN_CHANNEL.has(errorCode(error))) throw error;
        const parts = [shared, callerOnly].filter((part) => part !== null);
        await alone(question, joinMessages([...parts.map(render), renderSentence(INVITE_HINT)]));
        return "not_in_channel";
      }
      if (callerOnly !== null) {
        const heading = renderSentence("Only you see this; this channel may not:");
        await alone(question, joinMessages([heading, render(callerOnly)]));
      }
      return shared.kind;
    },
  };
}
