import {
  FIELDS,
  inverseFrequency,
  termShares,
  termWeight,
  type CollectionStatistics,
  type KeywordScheme,
} from "./bm25f.ts";
import { postingId, RECORD_SIZE } from "./pack-postings.ts";

/** Field lengths of every text, FIELDS.length numbers per id. */
export interface TextLengths {
  readonly chunks: Uint32Array;
  readonly runbooks: Uint32Array;
}

export interface TextScores {
  /** BM25F of one text, from 0 (it holds no term of the query) to 1. */
  score(id: number): number;
  readonly idf: ReadonlyMap<string, number>;
  /** The query's terms in one text, with their idf. */
  matchedTerms(id: number): ReadonlyMap<string, number>;
}

export interface KeywordScores {
  readonly chunks: TextScores;
  readonly runbooks: TextScores;
}

/** Postings of one term in one service. */
export interface TermPostings {
  readonly term: string;
  readonly records: Uint16Array;
}

/** Scores every text in `postings`; those, `statistics` and so all numbers are of the allowed services only. */
export function scoreKeywords(
  scheme: KeywordScheme,
  terms: ReadonlyMap<string, number>,
  postings: readonly TermPostings[],
  statistics: CollectionStatistics,
  lengths: Uint32Array,
): TextScores {
  const byTerm = Map.groupBy(postings, (posting) => posting.term);
  const idf = new Map<string, number>();
  for (const term of terms.keys()) {
    const found = byTerm.get(term) ?? [];
    const texts = found.reduce((sum, { records }) => sum + records.length / RECORD_SIZE, 0);
    idf.set(term, inverseFrequency(statistics.texts, texts));
  }

  const scores = new Float64Array(lengths.length / FIELDS.length);
  for (const [term, share] of termShares(scheme, terms, idf)) {
    for (const { records } of byTerm.get(term) ?? []) {
      for (let at = 0; at < records.length; at += RECORD_SIZE) {
        const id = postingId(records, at);
        const value = termWeight(scheme, statistics, records, at + 2, lengths, id * FIELDS.length);
        scores[id] = (scores[id] ?? 0) + share * value;
      }
    }
  }
  return {
    score: (id) => scores[id] ?? 0,
    idf,
    matchedTerms: (id) =>
      new Map([...idf].filter(([term]) => (byTerm.get(term) ?? []).some(({ records }) => holdsText(records, id)))),
  };
}

/** Binary search: the records are in the order of their ids. */
function holdsText(records: Uint16Array, id: number): boolean {
  let low = 0;
  let high = records.length / RECORD_SIZE - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = postingId(records, middle * RECORD_SIZE);
    if (found === id) return true;
    if (found < id) low = middle + 1;
    else high = middle - 1;
  }
  return false;
}
