/**
 * BM25F (Robertson, Zaragoza 2009, "The Probabilistic Relevance Framework", section 3.4): per term
 * t = sum over fields of w * tf / (1 - b + b * length / averageLength), then idf * t * (k + 1) / (t + k), weighted by
 * the query and divided by what a text would score that repeats every query term endlessly: 0 to 1.
 * idf = ln(1 + (N - n + 0.5) / (n + 0.5)). N, n and the average lengths are those of the allowed services only.
 */
export interface KeywordScheme {
  readonly k: number;
  /** By field, in the order of FIELDS. */
  readonly weights: readonly number[];
  readonly lengthNormalisation: readonly number[];
}

export const FIELDS = ["title", "headings", "path", "service", "body"] as const;

// Weights measured on labelled public runbooks (README, "Decisions").
export const CHUNK_SCHEME: KeywordScheme = {
  k: 1.6,
  weights: [1.5, 1, 1, 1, 1],
  lengthNormalisation: [0.3, 0.3, 0.3, 0.3, 0.5],
};
export const RUNBOOK_SCHEME: KeywordScheme = {
  k: 2.5,
  weights: [3, 1, 3, 3, 1],
  lengthNormalisation: [0.3, 0.5, 0.3, 0.3, 0.95],
};

/** How many texts the allowed services have, and the average length of each field in terms. */
export interface CollectionStatistics {
  readonly texts: number;
  readonly averageLengths: readonly number[];
}

export function inverseFrequency(texts: number, textsWithTerm: number): number {
  return Math.log(1 + (texts - textsWithTerm + 0.5) / (textsWithTerm + 0.5));
}

/**
 * One term's share of a text's score, before idf and query weight: 0 to k + 1.
 * `counts` and `lengths` hold one number per field from their offsets on.
 */
export function termWeight(
  scheme: KeywordScheme,
  statistics: CollectionStatistics,
  counts: ArrayLike<number>,
  countsAt: number,
  lengths: ArrayLike<number>,
  lengthsAt: number,
): number {
  let t = 0;
  for (let field = 0; field < FIELDS.length; field += 1) {
    const count = counts[countsAt + field] ?? 0;
    if (count === 0) continue;
    const b = scheme.lengthNormalisation[field] ?? 0;
    const average = statistics.averageLengths[field] ?? 0;
    const relative = average > 0 ? (lengths[lengthsAt + field] ?? 0) / average : 1;
    t += ((scheme.weights[field] ?? 0) * count) / (1 - b + b * relative);
  }
  return (t * (scheme.k + 1)) / (t + scheme.k);
}

/**
 * What one unit of each term's `termWeight` adds to a text's score: query weight and idf, over the most that the query's
 * terms could score, so that scores of different queries compare.
 */
export function termShares(
  scheme: KeywordScheme,
  terms: ReadonlyMap<string, number>,
  idf: ReadonlyMap<string, number>,
): Map<string, number> {
  const weighted = [...terms].map(([term, weight]) => ({ term, weight, idf: idf.get(term) ?? 0 }));
  const highest = highestScore(scheme, weighted);
  return new Map(weighted.map(({ term, weight, idf }) => [term, (weight * idf) / highest]));
}

/** The most that the query's terms could score: the divisor that makes scores comparable between queries. */
export function highestScore(scheme: KeywordScheme, terms: Iterable<{ weight: number; idf: number }>): number {
  let sum = 0;
  for (const { weight, idf } of terms) sum += weight * idf * (scheme.k + 1);
  return sum;
}
