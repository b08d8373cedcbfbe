import { z } from "zod";

import type { AllowedServices } from "../access/allowed-services.ts";
import { termShares, termWeight, type KeywordScheme } from "./bm25f.ts";
import type { StoreQuery } from "./passage-store.ts";
import type { QdrantClient, QdrantPoint } from "./qdrant-client.ts";
import { allowedPoints, ofRunbooks } from "./qdrant-filters.ts";
import { findRecord, hashTerm, RECORD_SIZE, unpackTable, type TermTable } from "./qdrant-pack-terms.ts";
import { ChunkPayload, DENSE, parsePayload, RunbookPayload, toRunbook } from "./qdrant-points.ts";
import type { TermStatistics } from "./qdrant-statistics.ts";
import type { ChunkCandidate, RunbookCandidate } from "./rank-candidates.ts";

/** A runbook with the exact parts of its score and of its chunks' scores. */
export interface ScoredRunbook {
  readonly candidate: RunbookCandidate;
  /** The query's terms in one of its chunks, with their idf. */
  matchedTerms(chunkId: number | string): ReadonlyMap<string, number>;
}

/** Scores texts by the query's terms, as `scoreKeywords` does for the embedded store. */
export interface TextScorer {
  score(table: TermTable): number;
  matchedTerms(table: TermTable): ReadonlyMap<string, number>;
}

export function createTextScorer(
  scheme: KeywordScheme,
  queryTerms: ReadonlyMap<string, number>,
  { statistics, idf }: TermStatistics,
): TextScorer {
  const terms = [...termShares(scheme, queryTerms, idf)].map(([term, share]) => ({
    term,
    share,
    hash: hashTerm(term),
    idf: idf.get(term) ?? 0,
  }));
  const find = ({ records }: TermTable, hash: number) => findRecord(records, RECORD_SIZE, hash);
  return {
    score(table) {
      let score = 0;
      for (const { share, hash } of terms) {
        const at = find(table, hash);
        if (at >= 0) score += share * termWeight(scheme, statistics, table.records, at + 3, table.lengths, 0);
      }
      return score;
    },
    matchedTerms: (table) =>
      new Map(terms.filter(({ hash }) => find(table, hash) >= 0).map(({ term, idf: rarity }) => [term, rarity])),
  };
}

const MOST_POINTS = 10_000;
const ScoredChunk = ChunkPayload.pick({ source_id: true, start_index: true, terms: true });
const ChunkCount = z.object({ source_id: z.string().min(1), chunk_count: z.int().min(0) });
type ScoredChunk = z.infer<typeof ScoredChunk>;

/** Runbooks by source id, with all their chunks: the server gives cosines and term tables, the keyword parts come from these. */
export async function readScored(
  client: QdrantClient,
  collection: string,
  query: StoreQuery,
  scorer: { readonly chunk: TextScorer; readonly runbook: TextScorer },
  allowedServices: AllowedServices,
  sourceIds: readonly string[],
): Promise<Map<string, ScoredRunbook>> {
  if (sourceIds.length === 0) return new Map();
  const wanted = ofRunbooks(sourceIds);
  const dense = { query: [...query.embedding], using: DENSE, params: { exact: true } };
  const [runbooks = []] = await client.queryBatch(collection, [
    {
      ...dense,
      filter: allowedPoints("runbook", allowedServices, wanted),
      limit: sourceIds.length,
      with_payload: true,
    },
  ]);
  const chunksInAll = runbooks.reduce((sum, { payload }) => sum + parsePayload(ChunkCount, payload).chunk_count, 0);
  const [chunks = []] =
    chunksInAll === 0
      ? []
      : await client.queryBatch(collection, [
          {
            ...dense,
            filter: allowedPoints("chunk", allowedServices, wanted),
            limit: Math.min(chunksInAll, MOST_POINTS),
            with_payload: { include: Object.keys(ScoredChunk.shape) },
          },
        ]);

  const bySource = Map.groupBy(
    chunks.map((point) => ({ point, payload: parsePayload(ScoredChunk, point.payload) })),
    ({ payload }) => payload.source_id,
  );
  return new Map(
    runbooks.map(({ payload, score }) => {
      const parsed = parsePayload(RunbookPayload, payload);
      const own = bySource.get(parsed.source_id) ?? [];
      const { candidates, tables } = scoreChunks(own, scorer.chunk);
      const candidate = {
        runbook: toRunbook(parsed),
        summaryCosine: score ?? 0,
        keywords: scorer.runbook.score(unpackTable(parsed.terms)),
        chunks: candidates,
      };
      const matchedTerms = (chunkId: number | string) => {
        const table = tables.get(chunkId);
        return table === undefined ? new Map<string, number>() : scorer.chunk.matchedTerms(table);
      };
      return [parsed.source_id, { candidate, matchedTerms }];
    }),
  );
}

function scoreChunks(chunks: readonly { point: QdrantPoint; payload: ScoredChunk }[], scorer: TextScorer) {
  const tables = new Map<number | string, TermTable>();
  // In file order, so that chunks of equal score keep it.
  const sorted = chunks.toSorted((left, right) => left.payload.start_index - right.payload.start_index);
  const candidates = sorted.map(({ point, payload }): ChunkCandidate => {
    const table = unpackTable(payload.terms);
    tables.set(point.id, table);
    return { chunkId: point.id, cosine: point.score ?? 0, keywords: scorer.score(table) };
  });
  return { candidates, tables };
}
