import type { Comparison } from "../src/evaluation/compare-outcomes.ts";
import type { QuestionOutcome } from "../src/evaluation/evaluate-questions.ts";
import type { Miss } from "../src/evaluation/name-failures.ts";
import type { EvaluationSummary, RankingFigures } from "../src/evaluation/summarise-outcomes.ts";
import type { RankedRunbook } from "../src/store/passage-store.ts";

/** The shape of `evaluate --json`. */
export function summaryJson(summary: EvaluationSummary, outcomes: readonly QuestionOutcome[]) {
  const byName = (all: ReadonlyMap<string, RankingFigures>) =>
    Object.fromEntries([...all].map(([name, ofName]) => [name, figuresJson(ofName)]));
  const { answerableAnswered, unanswerableRefused, precision, recall } = summary.refusal;
  return {
    overall: figuresJson(summary.overall),
    by_kind: byName(summary.byKind),
    baselines: byName(summary.baselines),
    refusal: {
      answerable_answered: answerableAnswered,
      unanswerable_refused: unanswerableRefused,
      precision,
      recall,
    },
    leaks: summary.leaks,
    questions: outcomes.map(({ question, ranked, refused, places }) => ({
      id: question.id,
      ranked,
      refused,
      hit_rank: places[0] ?? null,
    })),
  };
}

function figuresJson({ questions, hitAt1, hitAt3, mrrAt10, ndcgAt10 }: RankingFigures) {
  const interval = ({ low, high }: { low: number; high: number }) => [round(low), round(high)];
  return {
    questions,
    hit_at_1: hitAt1.mean,
    hit_at_3: hitAt3.mean,
    mrr_at_10: mrrAt10.mean,
    ndcg_at_10: ndcgAt10.mean,
    intervals: {
      hit_at_1: interval(hitAt1.interval),
      hit_at_3: interval(hitAt3.interval),
      mrr_at_10: interval(mrrAt10.interval),
      ndcg_at_10: interval(ndcgAt10.interval),
    },
  };
}

export function comparisonJson({ questions, within, mrrDifference, mrrInterval }: Comparison) {
  return {
    questions,
    ...Object.fromEntries(
      within.map(({ places, wins, losses, p }) => [`hit_at_${places}`, { wins, losses, p: round(p) }]),
    ),
    mrr_at_10: { difference: round(mrrDifference), interval: [round(mrrInterval.low), round(mrrInterval.high)] },
  };
}

export function missJson(
  { outcome, name, why }: Miss,
  wantedOf: ReadonlyMap<string, RankedRunbook>,
  explained: boolean,
) {
  const { question, ranked, retrieval } = outcome;
  const { evidence, sum } = retrieval.judgement;
  return {
    id: question.id,
    kind: question.kind,
    failure: name,
    why,
    wanted: question.relevant,
    came: ranked.slice(0, 3),
    ...(explained
      ? {
          scores: { wanted: scores(wantedOf.get(question.id)), first: scores(retrieval.runbooks[0]) },
          evidence: { ...evidence, sum: round(sum) },
        }
      : {}),
  };
}

function scores(ranked: RankedRunbook | undefined) {
  return ranked === undefined
    ? null
    : { source_id: ranked.runbook.sourceId, score: round(ranked.score), ...ranked.parts };
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
