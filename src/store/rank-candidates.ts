import type { RunbookMetadata } from "../domain.ts";
import type { PartWeights, ScoreParts } from "./passage-store.ts";

/**
 * Score of a runbook = 0.5 cos(best chunk) + 0.5 cos(summary) + 0.8 BM25F(best chunk) + 0.8 BM25F(whole runbook).
 * Each part alone misses what the others find (README, "Decisions", has each one's worth).
 */
export const PART_WEIGHTS: PartWeights = {
  chunkCosine: 0.5,
  summaryCosine: 0.5,
  chunkKeywords: 0.8,
  runbookKeywords: 0.8,
};

export interface ChunkCandidate {
  readonly chunkId: number | string;
  readonly cosine: number;
  readonly keywords: number;
}

export interface RunbookCandidate {
  readonly runbook: RunbookMetadata;
  readonly summaryCosine: number;
  readonly keywords: number;
  readonly chunks: readonly ChunkCandidate[];
}

export interface RankedCandidate {
  readonly runbook: RunbookMetadata;
  readonly score: number;
  readonly parts: ScoreParts;
  readonly chunks: readonly { chunkId: number | string; score: number; parts: ScoreParts }[];
}

/** Chunks of one runbook that are handed on: enough to choose a section, few enough to fetch. */
const CHUNKS_KEPT = 8;

export function sumParts(parts: ScoreParts, weights: PartWeights = PART_WEIGHTS): number {
  return (
    weights.chunkCosine * parts.chunkCosine +
    weights.summaryCosine * parts.summaryCosine +
    weights.chunkKeywords * parts.chunkKeywords +
    weights.runbookKeywords * parts.runbookKeywords
  );
}

/** Best runbooks first, each with its best chunks first; ties by source id and file order, so that the order is stable. */
export function rankCandidates(
  candidates: readonly RunbookCandidate[],
  limit: number,
  weights: PartWeights = PART_WEIGHTS,
): RankedCandidate[] {
  return candidates
    .map((candidate) => rankCandidate(candidate, weights))
    .toSorted((left, right) => right.score - left.score || compare(left.runbook.sourceId, right.runbook.sourceId))
    .slice(0, limit);
}

/** Stores compute cosines in different precision; what differs beyond the fifth decimal is equal, and a tie. */
export function roundCosine(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}

function rankCandidate(
  { runbook, summaryCosine, keywords, chunks }: RunbookCandidate,
  weights: PartWeights,
): RankedCandidate {
  const parts = {
    chunkCosine: Math.max(0, ...chunks.map((chunk) => roundCosine(chunk.cosine))),
    summaryCosine: roundCosine(summaryCosine),
    chunkKeywords: Math.max(0, ...chunks.map((chunk) => chunk.keywords)),
    runbookKeywords: keywords,
  };
  const ranked = chunks
    .map((chunk) => {
      const own = { ...parts, chunkCosine: roundCosine(chunk.cosine), chunkKeywords: chunk.keywords };
      return { chunkId: chunk.chunkId, score: sumParts(own, weights), parts: own };
    })
    .toSorted((left, right) => right.score - left.score)
    .slice(0, CHUNKS_KEPT);
  return { runbook, score: sumParts(parts, weights), parts, chunks: ranked };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
