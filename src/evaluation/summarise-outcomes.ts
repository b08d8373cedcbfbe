import type { QuestionOutcome } from "./evaluate-questions.ts";

export interface RankingFigures {
  readonly questions: number;
  readonly hitAt1: number;
  readonly hitAt3: number;
  /** Mean of 1 / place of the first relevant one, 0 beyond the tenth. */
  readonly mrrAt10: number;
}

export interface EvaluationSummary {
  /** Over the answerable questions. */
  readonly overall: RankingFigures;
  readonly byKind: ReadonlyMap<string, RankingFigures>;
  /** Shares: answerable questions that were answered, others that were refused. */
  readonly refusal: { readonly answerableAnswered: number; readonly unanswerableRefused: number };
  /** Runbooks outside what the asker may see; must be 0. */
  readonly leaks: number;
}

export function summariseOutcomes(outcomes: readonly QuestionOutcome[]): EvaluationSummary {
  const answerable = outcomes.filter((outcome) => outcome.answerable);
  const unanswerable = outcomes.filter((outcome) => !outcome.answerable);
  const byKind = [...Map.groupBy(answerable, (outcome) => outcome.kind)].map(
    ([kind, ofKind]) => [kind, rankingFigures(ofKind)] as const,
  );
  return {
    overall: rankingFigures(answerable),
    byKind: new Map(byKind.toSorted(([left], [right]) => (left < right ? -1 : 1))),
    refusal: {
      answerableAnswered: share(answerable, (outcome) => !outcome.refused),
      unanswerableRefused: share(unanswerable, (outcome) => outcome.refused),
    },
    leaks: outcomes.reduce((sum, outcome) => sum + outcome.leaks, 0),
  };
}

function rankingFigures(outcomes: readonly QuestionOutcome[]): RankingFigures {
  const within = (places: number) => share(outcomes, ({ hitRank }) => hitRank !== null && hitRank <= places);
  const reciprocal = outcomes.reduce((sum, { hitRank }) => sum + (hitRank === null ? 0 : 1 / hitRank), 0);
  return {
    questions: outcomes.length,
    hitAt1: within(1),
    hitAt3: within(3),
    mrrAt10: outcomes.length === 0 ? 0 : round(reciprocal / outcomes.length),
  };
}

function share(outcomes: readonly QuestionOutcome[], holds: (outcome: QuestionOutcome) => boolean): number {
  return outcomes.length === 0 ? 0 : round(outcomes.filter(holds).length / outcomes.length);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
