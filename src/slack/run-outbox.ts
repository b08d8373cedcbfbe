import { randomBytes } from "node:crypto";

import type { Logger } from "../logger.ts";
import type { Metrics } from "../operate/metrics.ts";
import type { BotState } from "../store/open-state.ts";
import type { AcceptedQuestion } from "./answer-question.ts";
import { errorCode } from "./describe-error.ts";
import { IncomingQuestion, type NewQuestion } from "./incoming-question.ts";

export interface RunningOutbox {
  /** Puts the question on disk before it returns, and works on it after. What somebody answers already is dropped. */
  accept(question: NewQuestion): void;
  /** Goes on with what an earlier run left. */
  resume(): void;
  /** Resolves when all that runs now has ended. */
  drained(): Promise<void>;
  /** Resolves when the question with this claim has ended; null: none runs. */
  whenAnswered(claim: string): Promise<void> | null;
  readonly size: () => number;
}

/** Each question that was accepted is worked on once in this process, and on disk until it has ended. */
export function runOutbox(
  state: BotState,
  answerQuestion: (accepted: AcceptedQuestion) => Promise<string>,
  metrics: Metrics,
  log: Logger,
): RunningOutbox {
  const running = new Map<string, { readonly question: IncomingQuestion; readonly work: Promise<void> }>();

  function run(accepted: AcceptedQuestion): void {
    const { acceptedAt, question } = accepted;
    const work = answerQuestion(accepted)
      .then((outcome) => {
        metrics.count("runbook_questions_total", { kind: question.kind, outcome });
        metrics.observeSeconds("runbook_answer_seconds", { kind: question.kind }, (Date.now() - acceptedAt) / 1000);
        return undefined;
      })
      // The state itself failed, or is closed already: the question stays on disk.
      .catch((error: unknown) => log.error({ answerId: accepted.answerId, reason: errorCode(error) }, "outbox_failed"))
      .finally(() => running.delete(accepted.answerId));
    running.set(accepted.answerId, { question, work });
  }

  return {
    accept(asked) {
      const question = IncomingQuestion.parse(asked);
      const { userId, claims } = question;
      const accepted = { answerId: randomBytes(6).toString("hex"), question, acceptedAt: Date.now() };
      const { answerId: id, acceptedAt } = accepted;
      if (state.accept({ id, userId, acceptedAt, question: JSON.stringify(question) }, claims)) run(accepted);
    },
    resume() {
      const pending = state.outbox.pending().filter(({ id }) => !running.has(id));
      if (pending.length > 0) log.info({ questions: pending.length }, "outbox_resumed");
      for (const { id: answerId, question, acceptedAt } of pending) {
        run({ answerId, acceptedAt, question: IncomingQuestion.parse(JSON.parse(question)) });
      }
    },
    async drained() {
      await Promise.allSettled([...running.values()].map(({ work }) => work));
    },
    whenAnswered: (claim) =>
      [...running.values()].find(({ question }) => question.claims.includes(claim))?.work ?? null,
    size: () => running.size,
  };
}
