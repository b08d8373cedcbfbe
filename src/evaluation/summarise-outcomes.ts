import { bootstrapMean, type Interval } from "./bootstrap.ts";
import type { QuestionOutcome } from "./evaluate-questions.ts";

export interface Figure {
  readonly mean: number;
  /** 95 %, over the questions. */
  readonly interval: Interval;
}

export interface RankingFigures {
  readonly questions: number;
  readonly hitAt1: Figure;
  readonly hitAt3: Figure;
  /** Mean of 1 / place of the first relevant one, 0 beyond the tenth. */
  readonly mrrAt10: Figure;
  /** Järvelin, Kekäläinen 2002: gains of 1 discounted by log2(place + 1), over those of the best order. */
  readonly ndcgAt10: Figure;
}

export interface EvaluationSummary {
  /** Over the answerable questions. */
  readonly overall: RankingFigures;
  readonly byKind: ReadonlyMap<string, RankingFigures>;
  /** The same questions ranked otherwise, overall. */
  readonly baselines: ReadonlyMap<string, RankingFigures>;
  readonly refusal: {
    /** Shares: answerable questions that were answered, others that were refused. */
    readonly answerableAnswered: number;
    readonly unanswerableRefused: number;
    /** Of the refused ones, the share that nothing answers; of those that nothing answers, the share refused. */
    readonly precision: number;
    readonly recall: number;
  };
  /** Runbooks outside what the asker may see; must be 0. */
  readonly leaks: number;
}

/** One question's ranking: places of relevant ones, and how many there are. */
interface Ranking {
  readonly places: readonly number[];
  readonly relevant: number;
}

const RANKED = 10;

export function summariseOutcomes(outcomes: readonly QuestionOutcome[]): EvaluationSummary {
  const answerable = outcomes.filter((outcome) => outcome.answerable);
  const unanswerable = outcomes.filter((outcome) => !outcome.answerable);
  const refused = outcomes.filter((outcome) => outcome.refused);
  const ranking = ({ places, question }: QuestionOutcome): Ranking => ({ places, relevant: question.relevant.length });
  const byKind = [...Map.groupBy(answerable, ({ question }) => question.kind)].map(
    ([kind, ofKind]) => [kind, rankingFigures(ofKind.map(ranking))] as const,
  );
  const names = new Set(answerable.flatMap(({ baselines }) => [...baselines.keys()]));
  return {
    overall: rankingFigures(answerable.map(ranking)),
    byKind: new Map(byKind.toSorted(([left], [right]) => (left < right ? -1 : 1))),
    baselines: new Map(
      [...names].map((name) => [
        name,
        rankingFigures(
          answerable.map(({ baselines, question }) => ({
            places: baselines.get(name) ?? [],
            relevant: question.relevant.length,
          })),
        ),
      ]),
    ),
    refusal: {
      answerableAnswered: share(answerable, (outcome) => !outcome.refused),
      unanswerableRefused: share(unanswerable, (outcome) => outcome.refused),
      precision: share(refused, (outcome) => !outcome.answerable),
      recall: share(unanswerable, (outcome) => outcome.refused),
    },
    leaks: outcomes.reduce((sum, outcome) => sum + outcome.leaks, 0),
  };
}

function rankingFigures(rankings: readonly Ranking[]): RankingFigures {
  const within = (places: number) =>
    figure(rankings.map(({ places: found }) => ((found[0] ?? Infinity) <= places ? 1 : 0)));
  return {
    questions: rankings.length,
    hitAt1: within(1),
    hitAt3: within(3),
    mrrAt10: figure(rankings.map(({ places }) => 1 / (places[0] ?? Infinity))),
    ndcgAt10: figure(rankings.map(ndcg)),
  };
}

function ndcg({ places, relevant }: Ranking): number {
  const gain = (place: number) => 1 / Math.log2(place + 1);
  const best = Array.from({ length: Math.min(relevant, RANKED) }, (_, index) => gain(index + 1));
  const sum = (gains: readonly number[]) => gains.reduce((total, value) => total + value, 0);
  return best.length === 0 ? 0 : sum(places.map(gain)) / sum(best);
}

function figure(values: readonly number[]): Figure {
  const mean = values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
  return { mean: round(mean), interval: bootstrapMean(values) };
}

function share(outcomes: readonly QuestionOutcome[], holds: (outcome: QuestionOutcome) => boolean): number {
  return outcomes.length === 0 ? 0 : round(outcomes.filter(holds).length / outcomes.length);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
