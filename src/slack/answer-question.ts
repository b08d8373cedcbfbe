import type { AccessPolicy } from "../access/access-policy.ts";
import { forCallerAlone } from "../access/audience.ts";
import type { AnswerAudience } from "../answering/answer-audience.ts";
import type { AuditTrail } from "../audit/write-audit.ts";
import { PipelineError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import type { DeliverReply } from "./deliver-reply.ts";
import type { Shown } from "./shown.ts";
import { describeShown } from "./describe-shown.ts";
import { errorCode, isClosedPlace, whereFrom } from "./describe-error.ts";
import { createFindReaders, hasShrunk, type FindReaders, type Readers } from "./find-readers.ts";
import { deletedKey, type IncomingQuestion } from "./incoming-question.ts";
import { PostUncertain } from "./post-message.ts";
import { HELP, renderSentence, type SlackMessage } from "./render-answer.ts";
import { warnOfStale, type FindRunbooks } from "./warn-of-stale.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface QuestionSteps {
  readonly policy: () => AccessPolicy;
  readonly state: BotState;
  readonly whoIsWho: WhoIsWho;
  readonly readThread: (question: IncomingQuestion) => Promise<string[]>;
  readonly answer: AnswerAudience;
  readonly findRunbooks: FindRunbooks;
  readonly deliver: DeliverReply;
  readonly audit: AuditTrail;
  readonly status: (readers: Readers) => Promise<SlackMessage>;
  /** Slack refuses the bot's token: what is open stays in the outbox for the next start. */
  readonly isTokenRefused: () => boolean;
  readonly answerWithinMs: number;
  readonly log: Logger;
}

/** A question that stands in the outbox. */
export interface AcceptedQuestion {
  readonly answerId: string;
  readonly question: IncomingQuestion;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
}

/** The rights of before no longer hold: nothing that was written for them may be posted. */
class RightsShrank extends Error {
  override readonly name = "RightsShrank";
}

/** Whoever asked took the question back. */
class QuestionDeleted extends Error {
  override readonly name = "QuestionDeleted";
}

const MOST_ROUNDS = 3;
const UNCHECKED = "Access could not be checked just now, for anybody. Please ask again in a minute.";
const TOO_LATE = "Sorry, I was not able to answer your question in time. Please ask again if it still matters.";

/**
 * One accepted question to its end, which it gives: who is who → audience → thread → answer → rights once more, right before each post →
 * reply. A failure before anything was posted gives the claim back, so that Slack's next delivery is answered, and tells
 * the person a fixed sentence with a reference. What can't be ended now stays in the outbox.
 */
export function createAnswerQuestion(steps: QuestionSteps): (accepted: AcceptedQuestion) => Promise<string> {
  const { state, log, isTokenRefused } = steps;
  const findReaders = createFindReaders(steps);

  return async (accepted) => {
    const { answerId, question, acceptedAt } = accepted;
    const { channelId, kind } = question;
    let posted = false;
    try {
      if (Date.now() - acceptedAt > steps.answerWithinMs) {
        await tellOnce(accepted, TOO_LATE);
        return end("too_late");
      }
      const outcome = await answerOnce(steps, findReaders, accepted, () => (posted = true));
      if (outcome !== "unchecked") return end(outcome);
      if (isTokenRefused()) return stays();
      state.giveBack(answerId, question.claims, outcome);
      await tellOnce(accepted, UNCHECKED);
      log.info({ answerId, channelId, kind, outcome }, "question_handled");
      return outcome;
    } catch (error) {
      if (isTokenRefused()) return stays();
      if (isClosedPlace(error)) return end("place_closed");
      const isUncertain = error instanceof PostUncertain;
      if (posted || isUncertain) state.outbox.end(answerId, isUncertain ? "uncertain" : "failed");
      else state.giveBack(answerId, question.claims, "failed");
      const failure = error instanceof PipelineError ? error.kind : "unexpected";
      const details = error instanceof PipelineError ? error.context : { at: whereFrom(error) };
      const level = failure === "permission" ? "fatal" : "error";
      log[level]({ ...details, answerId, channelId, kind, failure, reason: errorCode(error) }, "question_failed");
      await tellOnce(accepted, `Something went wrong and I could not answer. Reference: ${answerId}`);
      return isUncertain ? "uncertain" : "failed";
    }

    function end(outcome: string): string {
      state.outbox.end(answerId, outcome);
      log.info({ answerId, channelId, kind, outcome }, "question_handled");
      return outcome;
    }
    function stays(): string {
      log.fatal({ answerId, channelId, kind, alarm: "token_refused", next: "npm run doctor" }, "question_waits");
      return "waits";
    }
  };

  /** A message that comes again and fails again is excused once. */
  async function tellOnce({ question, answerId }: AcceptedQuestion, sentence: string): Promise<void> {
    const { userId, claims, channelId, kind } = question;
    if (userId === null || !state.claims.take([`notice:${claims.at(-1)}`])) return;
    const options = { postId: `${answerId}-notice`, confirm: async () => undefined };
    try {
      await steps.deliver.alone(question, renderSentence(sentence), options);
    } catch (error) {
      log.error({ answerId, channelId, kind, reason: errorCode(error) }, "notice_failed");
    }
  }
}

/** Gives what was done, for the log. `unchecked`: Slack could not say who asks. */
async function answerOnce(
  { readThread, answer, deliver, audit, state, status, findRunbooks, policy }: QuestionSteps,
  findReaders: FindReaders,
  { question: asked, answerId }: AcceptedQuestion,
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
      postId: answerId,
      botIsOutside: readers.botIsOutside,
      async confirm() {
        await assertStillReaders(findReaders, question, readers);
        const { channelId, ts } = question;
        if (ts !== null && state.claims.isTaken(deletedKey({ channelId, ts }))) throw new QuestionDeleted("deleted");
      },
      record: (shown: readonly Shown[]) =>
        audit.record(shown.map((part) => describeShown(part, { question, readers, answerId }))),
      onPosted(inThread: string) {
        onPosted();
        threadTs = inThread;
      },
    };
    try {
      const { mode } = question;
      if (mode === "help" || mode === "status") {
        await deliver.alone(question, mode === "help" ? renderSentence(HELP) : await status(readers), options);
        return mode;
      }
      thread ??= question.thread ?? (await readThread(question));
      const audience = mode === "answer" ? readers.audience : forCallerAlone(readers.audience);
      const found = await answer({ text: question.text, thread, links: question.links }, audience);
      const shown = await warnOfStale(found, audience, findRunbooks, policy());
      state.outbox.answered(answerId);
      return await deliver.answer({ ...question, thread }, shown, options);
    } catch (error) {
      if (error instanceof QuestionDeleted) return "deleted";
      if (!(error instanceof RightsShrank)) throw error;
    }
  }
  return "rights_lost";
}

async function assertStillReaders(findReaders: FindReaders, question: IncomingQuestion, before: Readers) {
  const now = await findReaders(question);
  if (now === "unchecked" || now === "nobody" || hasShrunk(now, before)) {
    throw new RightsShrank("the readers may see less than when the answer was written");
  }
}
