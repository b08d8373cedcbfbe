import { randomBytes } from "node:crypto";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { AnswerAudience } from "../answering/answer-audience.ts";
import type { AuditTrail } from "../audit/write-audit.ts";
import { PipelineError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import type { DeliverReply, Shown } from "./deliver-reply.ts";
import { describeShown } from "./describe-shown.ts";
import { errorCode, whereFrom } from "./describe-error.ts";
import { createFindReaders, hasShrunk, type FindReaders, type Readers } from "./find-readers.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import { PostUncertain } from "./post-message.ts";
import { HELP, renderSentence, type SlackMessage } from "./render-answer.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface QuestionSteps {
  readonly policy: () => AccessPolicy;
  readonly state: BotState;
  readonly whoIsWho: WhoIsWho;
  readonly readThread: (question: IncomingQuestion) => Promise<string[]>;
  readonly answer: AnswerAudience;
  readonly deliver: DeliverReply;
  readonly audit: AuditTrail;
  readonly log: Logger;
}

/** The rights of before no longer hold: nothing that was written for them may be posted. */
class RightsShrank extends Error {
  override readonly name = "RightsShrank";
}

const MOST_ROUNDS = 3;
const UNCHECKED = "Access could not be checked just now, for anybody. Please ask again in a minute.";

/**
 * One question from claim to reply: claim → who is who → audience → thread → answer → rights once more, right before
 * each post → reply. A failure before anything was posted gives the claim back, so that Slack's next delivery is
 * answered, and tells the person a fixed sentence with a reference.
 */
export function createAnswerQuestion(steps: QuestionSteps): (question: IncomingQuestion) => Promise<void> {
  const { state, log } = steps;
  const findReaders = createFindReaders(steps);

  return async (question) => {
    if (!state.claim(question.claims)) return;
    const answerId = randomBytes(6).toString("hex");
    const { channelId, kind } = question;
    let posted = false;
    try {
      const outcome = await answerOnce(steps, findReaders, question, answerId, () => (posted = true));
      if (outcome === "unchecked") {
        state.release(question.claims);
        await tellOnce(question, answerId, renderSentence(UNCHECKED));
      }
      log.info({ answerId, channelId, kind, outcome }, "question_handled");
    } catch (error) {
      if (!posted && !(error instanceof PostUncertain)) state.release(question.claims);
      const failure = error instanceof PipelineError ? error.kind : "unexpected";
      const details = error instanceof PipelineError ? error.context : { at: whereFrom(error) };
      const level = failure === "permission" ? "fatal" : "error";
      log[level]({ ...details, answerId, channelId, kind, failure, reason: errorCode(error) }, "question_failed");
      const sentence = `Something went wrong and I could not answer. Reference: ${answerId}`;
      await tellOnce(question, answerId, renderSentence(sentence));
    }
  };

  /** A message that comes again and fails again is excused once. */
  async function tellOnce(question: IncomingQuestion, answerId: string, message: SlackMessage): Promise<void> {
    const { userId, claims, channelId, kind } = question;
    if (userId === null || !state.claim([`notice:${claims.at(-1)}`])) return;
    const options = { answerId: `${answerId}-notice`, confirm: async () => undefined };
    try {
      await steps.deliver.alone(question, message, options);
    } catch (error) {
      log.error({ answerId, channelId, kind, reason: errorCode(error) }, "notice_failed");
    }
  }
}

/** Gives what was done, for the log. `unchecked`: Slack could not say who asks. */
async function answerOnce(
  { readThread, answer, deliver, audit }: QuestionSteps,
  findReaders: FindReaders,
  asked: IncomingQuestion,
  answerId: string,
  onPosted: () => void,
): Promise<string> {
  let { threadTs } = asked;
  let thread: string[] | null = null;
  for (let round = 1; round <= MOST_ROUNDS; round += 1) {
    const question: IncomingQuestion = Object.assign({}, asked, { threadTs });
    const readers = await findReaders(question);
    if (readers === "unchecked" || readers === "nobody") return readers;
    const { chosenService } = question;
    if (chosenService !== null && !readers.audience.caller.has(chosenService)) return "not_theirs";
    const options = {
      answerId,
      botIsOutside: readers.botIsOutside,
      confirm: () => assertStillReaders(findReaders, question, readers),
      record: (shown: readonly Shown[]) =>
        audit.record(shown.map((part) => describeShown(part, { question, readers, answerId }))),
      onPosted(inThread: string) {
        onPosted();
        threadTs = inThread;
      },
    };
    try {
      if (asksForHelp(question)) {
        await deliver.alone(question, renderSentence(HELP), options);
        return "help";
      }
      thread ??= await readThread(question);
      return await deliver.answer(
        question,
        await answer({ text: question.text, thread, links: question.links }, readers.audience),
        options,
      );
    } catch (error) {
      if (!(error instanceof RightsShrank)) throw error;
    }
  }
  return "rights_lost";
}

function asksForHelp({ kind, text }: IncomingQuestion): boolean {
  return kind !== "alert" && /^\W*(?:help\W*)?$/iu.test(text);
}

async function assertStillReaders(findReaders: FindReaders, question: IncomingQuestion, before: Readers) {
  const now = await findReaders(question);
  if (now === "unchecked" || now === "nobody" || hasShrunk(now, before)) {
    throw new RightsShrank("the readers may see less than when the answer was written");
  }
}
