import { createRandom } from "./seeded-random.ts";

export interface Interval {
  readonly low: number;
  readonly high: number;
}

const RESAMPLES = 2000;
const SEED = 20_261_201;

/**
 * 95 % percentile bootstrap of a mean (Efron, Tibshirani 1993, "An Introduction to the Bootstrap", chapter 13): values are
 * drawn anew with replacement, the same in every run.
 */
export function bootstrapMean(values: readonly number[]): Interval {
  if (values.length === 0) return { low: 0, high: 0 };
  const random = createRandom(SEED);
  const means = Float64Array.from({ length: RESAMPLES }, () => {
    let sum = 0;
    for (let draw = 0; draw < values.length; draw += 1) sum += values[Math.floor(random() * values.length)] ?? 0;
    return sum / values.length;
  }).toSorted();
  return { low: means[Math.floor(RESAMPLES * 0.025)] ?? 0, high: means[Math.ceil(RESAMPLES * 0.975) - 1] ?? 0 };
}

/**
 * Two-sided exact McNemar test: how likely so uneven a split of wins and losses is when both sides are as good (McNemar
 * 1947; the exact form is a binomial test of the discordant pairs).
 */
export function mcNemar(wins: number, losses: number): number {
  const pairs = wins + losses;
  let logChoose = 0;
  let tail = 0;
  for (let count = 0; count <= Math.min(wins, losses); count += 1) {
    tail += Math.exp(logChoose - pairs * Math.LN2);
    logChoose += Math.log(pairs - count) - Math.log(count + 1);
  }
  return Math.min(1, 2 * tail);
}
