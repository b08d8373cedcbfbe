import { redactMessage } from "../answering/mask-secrets.ts";
import type { Answer } from "../domain.ts";
import type { BotState } from "../store/open-state.ts";
import { sourcesOf } from "./describe-shown.ts";
import type { IncomingQuestion } from "./incoming-question.ts";

export type KeepAnswer = (question: IncomingQuestion, answer: Answer | null, answerId: string) => Promise<void>;

/**
 * For what people do with an answer after: choose a service, rate it, ask for more, edit their question. Buttons carry the
 * answer's id, and what they stand for is kept here, without its secrets.
 */
export function createKeepAnswer(state: BotState): KeepAnswer {
  return async (question, answer, answerId) => {
    if (answer === null || (answer.kind !== "clarify" && answer.kind !== "answered")) return;
    const { userId, channelId, claims } = question;
    const asked = JSON.stringify({ ...question, text: await redactMessage(question.text), responseUrl: null });
    if (answer.kind === "clarify") {
      if (userId !== null) state.choices.offer(answerId, { userId, question: asked, services: answer.services });
      return;
    }
    const messageKey = claims.at(-1) ?? "";
    const { indexVersion } = answer;
    const sources = sourcesOf(answer);
    state.answers.keep(answerId, { userId, channelId, messageKey, question: asked, sources, indexVersion });
  };
}
