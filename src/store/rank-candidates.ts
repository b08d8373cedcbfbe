import type { RunbookMetadata } from "../domain.ts";
import type { ScoreParts } from "./passage-store.ts";

/**
 * Score of a runbook = 0.5 cos(best chunk) + 0.5 cos(summary) + 0.8 BM25F(best chunk) + 0.8 BM25F(whole runbook).
 * Each part alone misses what the others find (README, "Decisions", has each one's worth).
 */
export const PART_WEIGHTS: Readonly<Record<keyof ScoreParts, number>> = {
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

export function sumParts(parts: ScoreParts): number {
  return (
    PART_WEIGHTS.chunkCosine * parts.chunkCosine +
    PART_WEIGHTS.summaryCosine * parts.summaryCosine +
    PART_WEIGHTS.chunkKeywords * parts.chunkKeywords +
    PART_WEIGHTS.runbookKeywords * parts.runbookKeywords
  );
}

/** Best runbooks first, each with its best chunks first; ties by source id and file order, so that the order is stable. */
export function rankCandidates(candidates: readonly RunbookCandidate[], limit: number): RankedCandidate[] {
  return candidates
    .map(rankCandidate)
    .toSorted((left, right) => right.score - left.score || compare(left.runbook.sourceId, right.runbook.sourceId))
    .slice(0, limit);
}

/** Stores compute cosines in different precision; what differs beyond the fifth decimal is equal, and a tie. */
export function roundCosine(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}

function rankCandidate({ runbook, summaryCosine, keywords, chunks }: RunbookCandidate): RankedCandidate {
  const parts = {
    chunkCosine: Math.max(0, ...chunks.map((chunk) => roundCosine(chunk.cosine))),
    summaryCosine: roundCosine(summaryCosine),
    chunkKeywords: Math.max(0, ...chunks.map((chunk) => chunk.keywords)),
    runbookKeywords: keywords,
  };
  const ranked = chunks
    .map((chunk) => {
      const own = { ...parts, chunkCosine: roundCosine(chunk.cosine), chunkKeywords: chunk.keywords };
      return { chunkId: chunk.chunkId, score: sumParts(own), parts: own };
    })
    .toSorted((left, right) => right.score - left.score)
    .slice(0, CHUNKS_KEPT);
  return { runbook, score: sumParts(parts), parts, chunks: ranked };
}

function compare(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}
