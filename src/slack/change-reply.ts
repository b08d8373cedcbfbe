import type { AccessPolicy } from "../access/access-policy.ts";
import { findMoreChecks } from "../answering/find-more-checks.ts";
import type { Answer, AudienceAnswer } from "../domain.ts";
import type { BotState } from "../store/open-state.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import type { KeepAnswer } from "./keep-answer.ts";
import type { Poster, PostOptions } from "./post-message.ts";
import { renderMore, renderReply, renderSentence, type Sentence, type SlackMessage } from "./render-answer.ts";
import { forAll, forAsker, recorded, type DeliveryOptions } from "./shown.ts";

export const ONLY_YOU: Sentence = { sentence: "Only you see this; this channel may not:" };
const NOTHING_MORE = "There are no more steps; the linked runbook has the rest.";
const NO_LONGER_FITS = "The question was changed, and what stood here does not fit it any more.";

interface ChangeParts {
  readonly poster: Poster;
  readonly policy: () => AccessPolicy;
  readonly state: BotState;
  readonly keepAnswer: KeepAnswer;
  readonly alone: (question: IncomingQuestion, message: SlackMessage, options: PostOptions) => Promise<void>;
}

/** What comes after an answer: more of it for one person, and another one when its question was edited. */
export function createChangeReply({ poster, policy, state, keepAnswer, alone }: ChangeParts) {
  /** The steps that had no room, for whoever pressed the button, as far as they may see them now. */
  async function showMore(
    question: IncomingQuestion,
    { shared, callerOnly }: AudienceAnswer,
    options: DeliveryOptions,
  ): Promise<string> {
    const answer = shared.kind === "answered" ? shared : callerOnly;
    const more = answer === null ? [] : findMoreChecks(answer);
    if (answer === null || more.length === 0) {
      await alone(question, renderSentence(NOTHING_MORE), options);
      return "nothing_more";
    }
    const shown = forAsker(answer, answer === shared ? "shared" : "caller");
    await alone(question, renderMore(answer, more, policy().linkTemplate), recorded(options, [shown]));
    return "more";
  }

  /** The answer to a question that was edited: the reply changes where it stands, and tells nobody anew. */
  async function edit(
    question: IncomingQuestion & { readonly editOf: string },
    { shared, callerOnly }: AudienceAnswer,
    options: DeliveryOptions,
  ): Promise<string> {
    const { channelId, threadTs, editOf } = question;
    const render = (answer: Answer) => renderAnswered([answer], policy().linkTemplate, editOf);
    const stands = state.outbox.posts.find(editOf)?.ts ?? null;
    if (stands !== null) {
      const isShown = shared.kind === "answered" || question.kind === "direct_message";
      const message = isShown ? render(shared) : renderSentence(NO_LONGER_FITS);
      const shown = question.kind === "direct_message" ? forAsker(shared, "shared") : forAll(shared);
      const { confirm } = isShown ? recorded(options, [shown]) : options;
      await poster.update({ channelId, threadTs }, stands, message, confirm);
    }
    await keepAnswer({ ...question, editOf: null }, shared.kind === "answered" ? shared : callerOnly, editOf);
    const forOne = callerOnly ?? (shared.kind === "answered" || question.kind === "direct_message" ? null : shared);
    if (forOne !== null) {
      const allowed = callerOnly === null ? "shared" : "caller";
      const alonePart = recorded({ ...options, postId: `${options.postId}-alone` }, [forAsker(forOne, allowed)]);
      await alone(
        { ...question, isReply: stands !== null || question.isReply },
        callerOnly === null
          ? render(forOne)
          : renderReply([ONLY_YOU, forOne], { linkTemplate: policy().linkTemplate, answerId: "" }),
        alonePart,
      );
    }
    return "edited";
  }

  return { showMore, edit };
}

/** An answer as it stands: with its thumbs, and with a button when there were more checks. */
export function renderAnswered(
  parts: readonly (Answer | Sentence)[],
  linkTemplate: string | null,
  answerId: string,
): SlackMessage {
  const [first] = parts;
  const isAnswered = first !== undefined && "kind" in first && first.kind === "answered";
  const hasMore = isAnswered && findMoreChecks(first).length > 0;
  return renderReply(parts, { linkTemplate, answerId, isRated: true, hasMore });
}
