import type { AccessPolicy } from "../access/access-policy.ts";
import { redactMessage } from "../answering/mask-secrets.ts";
import type { Answer, AudienceAnswer } from "../domain.ts";
import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import { sourcesOf } from "./describe-shown.ts";
import { errorCode } from "./describe-error.ts";
import { escapeLabel } from "./escape-text.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import { renderLinks } from "./render-links.ts";
import type { Poster, PostOptions } from "./post-message.ts";
import { renderQuestion, renderReply, renderSentence, type Sentence, type SlackMessage } from "./render-answer.ts";

/** An answer, and who is about to read it. */
export interface Shown {
  readonly answer: Answer;
  readonly to: "everyone" | "asker";
  /** Whose rights the answer was made with. */
  readonly allowed: "shared" | "caller";
}

export interface DeliveryOptions extends PostOptions {
  /** The bot can't see the place: what the asker gets comes with a hint how to change that. */
  readonly botIsOutside: boolean;
  /** Runs right before a reply is posted, once; what it throws keeps the reply from being posted. */
  readonly record: (shown: readonly Shown[]) => Promise<void>;
  /** Something stands in the channel now, in this thread. */
  readonly onPosted: (threadTs: string) => void;
}

export interface DeliverReply {
  /** Puts an answer where it belongs. Gives what was done, for the log. */
  answer(question: IncomingQuestion, answer: AudienceAnswer, options: DeliveryOptions): Promise<string>;
  /** Tells the asker alone. */
  alone(question: IncomingQuestion, message: SlackMessage, options: PostOptions): Promise<void>;
}

/** The bot can't post there: the person who typed the command is told how to change that. */
const NOT_IN_CHANNEL = new Set(["not_in_channel", "channel_not_found", "is_archived", "restricted_action"]);
const NO_LONGER_FITS = "The question was changed, and what stood here does not fit it any more.";
const ONLY_YOU: Sentence = { sentence: "Only you see this; this channel may not:" };

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

  /** Asking back: the buttons carry the answer's id, and what they stand for is kept here. */
  async function keepChoice(question: IncomingQuestion, answer: Answer, answerId: string): Promise<void> {
    if (answer.kind !== "clarify" || question.userId === null) return;
    const asked = { ...question, text: await redactMessage(question.text), responseUrl: null };
    const { services } = answer;
    state.choices.offer(answerId, { userId: question.userId, question: JSON.stringify(asked), services });
  }

  /** For what people do with an answer after: rate it, ask for more, edit their question. */
  async function keepAnswer(question: IncomingQuestion, answer: Answer | null, answerId: string): Promise<void> {
    if (answer?.kind !== "answered") return;
    const { channelId, userId, claims } = question;
    const asked = { ...question, text: await redactMessage(question.text), responseUrl: null };
    state.answers.keep(answerId, {
      userId,
      channelId,
      messageKey: claims.at(-1) ?? "",
      question: JSON.stringify(asked),
      sources: sourcesOf(answer),
      indexVersion: answer.indexVersion,
    });
  }

  /** The answer to a question that was edited: the reply changes where it stands, and tells nobody anew. */
  async function edit(
    question: IncomingQuestion & { readonly editOf: string },
    { shared, callerOnly }: AudienceAnswer,
    options: DeliveryOptions,
  ): Promise<string> {
    const { channelId, threadTs, editOf } = question;
    const render = (answer: Answer) =>
      renderReply([answer], { linkTemplate: policy().linkTemplate, answerId: editOf, isRated: true });
    const stands = state.outbox.posts.find(editOf)?.ts ?? null;
    if (stands !== null) {
      const isShown = shared.kind === "answered" || question.kind === "direct_message";
      const message = isShown ? render(shared) : renderSentence(NO_LONGER_FITS);
      const shown = question.kind === "direct_message" ? forAsker(shared, "shared") : forAll(shared);
      const { confirm } = isShown ? recorded(options, [shown]) : options;
      await poster.update({ channelId, threadTs }, stands, message, confirm);
      await keepAnswer({ ...question, editOf: null }, shared, editOf);
    }
    const forOne = callerOnly ?? (shared.kind === "answered" || question.kind === "direct_message" ? null : shared);
    if (forOne !== null) {
      const allowed = callerOnly === null ? "shared" : "caller";
      const alonePart = recorded({ ...options, postId: `${options.postId}-alone` }, [forAsker(forOne, allowed)]);
      await alone(
        { ...question, isReply: stands !== null || question.isReply },
        callerOnly === null ? render(forOne) : renderRest(forOne),
        alonePart,
      );
    }
    return "edited";
  }

  /** Below an answer that has its thumbs already. */
  function renderRest(answer: Answer): SlackMessage {
    return renderReply([ONLY_YOU, answer], { linkTemplate: policy().linkTemplate, answerId: "" });
  }

  return {
    alone,
    async answer(question, { shared, callerOnly }, options) {
      const answerId = options.postId;
      const forOne = { ...options, postId: `${answerId}-alone` };
      const render = (...parts: (Answer | Sentence)[]) =>
        renderReply(parts, { linkTemplate: policy().linkTemplate, answerId, isRated: true });
      await keepChoice(question, shared, answerId);
      await keepAnswer(question, shared.kind === "answered" ? shared : callerOnly, answerId);
      if (question.kind === "alert") {
        if (shared.kind !== "answered") return "alert_unanswered";
        await toEveryone(question, render(shared), options, [forAll(shared)]);
        return "alert_answered";
      }
      if (question.editOf !== null)
        return await edit({ ...question, editOf: question.editOf }, { shared, callerOnly }, options);
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
          await alone({ ...question, threadTs, isReply: true }, renderRest(callerOnly), rest);
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

const forAll = (answer: Answer): Shown => ({ answer, to: "everyone", allowed: "shared" });
const forAsker = (answer: Answer, allowed: Shown["allowed"]): Shown => ({ answer, to: "asker", allowed });

/** Rights first, then the record, then the post: what is recorded was allowed at that moment, and nothing else is shown. */
function recorded(options: DeliveryOptions, shown: readonly Shown[]): DeliveryOptions {
  let isRecorded = false;
  return {
    ...options,
    async confirm() {
      await options.confirm();
      if (!isRecorded) await options.record(shown);
      isRecorded = true;
    },
  };
}
