import { randomBytes } from "node:crypto";

import type { AccessPolicy } from "../access/access-policy.ts";
import { audienceFor, type Audience } from "../access/audience.ts";
import type { AnswerAudience } from "../answering/answer-audience.ts";
import type { AudienceAnswer } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import type { DeliverReply } from "./deliver-reply.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import { renderSentence } from "./render-answer.ts";
import { errorCode, type WhoIsWho } from "./who-is-who.ts";

export interface QuestionSteps {
  readonly policy: () => AccessPolicy;
  readonly state: BotState;
  readonly whoIsWho: WhoIsWho;
  readonly readThread: (question: IncomingQuestion) => Promise<string[]>;
  readonly answer: AnswerAudience;
  readonly deliver: DeliverReply;
  readonly log: Logger;
}

/**
 * One question from claim to reply: claim → who is who → audience → thread → answer → rights once more → reply. A
 * failure before anything was posted gives the claim back and tells the person a fixed sentence with a reference.
 */
export function createAnswerQuestion(steps: QuestionSteps): (question: IncomingQuestion) => Promise<void> {
  const { state, log } = steps;
  return async (question) => {
    if (!state.claim(question.claims)) return;
    const answerId = randomBytes(6).toString("hex");
    const { channelId, kind } = question;
    let posted = false;
    try {
      const outcome = await answerOnce(steps, question, answerId, () => (posted = true));
      log.info({ answerId, channelId, kind, outcome }, "question_handled");
    } catch (error) {
      if (!posted) state.release(question.claims);
      const failure = error instanceof PipelineError ? error.kind : "unexpected";
      const context = error instanceof PipelineError ? error.context : {};
      const level = failure === "permission" ? "fatal" : "error";
      log[level]({ ...context, answerId, channelId, kind, failure, reason: errorCode(error) }, "question_failed");
      const sentence = `Something went wrong and I could not answer. Reference: ${answerId}`;
      if (question.userId !== null) await steps.deliver.alone(question, renderSentence(sentence));
    }
  };
}

async function answerOnce(
  steps: QuestionSteps,
  question: IncomingQuestion,
  answerId: string,
  onPosted: () => void,
): Promise<string> {
  const before = await findAudience(steps, question);
  if (before === "unchecked") {
    steps.state.release(question.claims);
    await steps.deliver.alone(
      question,
      renderSentence("Access could not be checked just now. Please ask again in a minute."),
    );
    return "unchecked";
  }
  if (before === "nobody") return "nobody";
  const thread = await steps.readThread(question);
  const ask = (audience: Audience) => steps.answer({ text: question.text, thread }, audience);
  let answer: AudienceAnswer = await ask(before);

  const now = await findAudience(steps, question);
  if (now === "nobody" || now === "unchecked") return "rights_lost";
  if (isSmaller(now, before)) answer = await ask(now);
  return steps.deliver.answer(question, answer, answerId, onPosted);
}

/** Who may read the reply, asked of Slack and of the access file anew. `nobody`: silence. */
async function findAudience(
  { whoIsWho, policy }: QuestionSteps,
  { channelId, userId, isForeign }: IncomingQuestion,
): Promise<Audience | "nobody" | "unchecked"> {
  const [place, caller] = await Promise.all([
    whoIsWho.place(channelId),
    userId === null ? null : whoIsWho.principal(userId),
  ]);
  if (caller === null) return audienceFor(policy(), null, place);
  if (!caller.checked) return "unchecked";
  const principal = isForeign ? { ...caller.principal, standing: "foreign" as const } : caller.principal;
  const audience = audienceFor(policy(), principal, place);
  // Guests, people of other workspaces and bots learn nothing, not even that there is nothing.
  return principal.standing !== "member" && audience.caller.size === 0 ? "nobody" : audience;
}

function isSmaller(now: Audience, before: Audience): boolean {
  const lost = (left: ReadonlySet<string>, right: ReadonlySet<string>) =>
    [...left].some((service) => !right.has(service));
  return lost(before.shared, now.shared) || lost(before.caller, now.caller);
}
