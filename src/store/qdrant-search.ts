import type { AllowedServices } from "../access/allowed-services.ts";
import { CHUNK_SCHEME, RUNBOOK_SCHEME } from "./bm25f.ts";
import type { RankedRunbook, SearchResult, StoreQuery } from "./passage-store.ts";
import { findCandidates } from "./qdrant-candidates.ts";
import type { QdrantClient } from "./qdrant-client.ts";
import { allowedPoints } from "./qdrant-filters.ts";
import { ChunkPayload, parsePayload, toChunk } from "./qdrant-points.ts";
import { createTextScorer, readScored, type ScoredRunbook } from "./qdrant-score-runbooks.ts";
import type { StatisticsReader } from "./qdrant-statistics.ts";
import { rankCandidates, type RankedCandidate } from "./rank-candidates.ts";

/** How many points each part's list has, from round to round; most questions end with the first. */
const WIDTHS = [250, 1000, 4000, 10_000];
/** Runbooks whose exact score is asked for at once. */
const SCORED_AT_ONCE = 24;
const ROUNDING = 1e-5;

export interface SearchedIndex {
  readonly client: QdrantClient;
  readonly collection: string;
  readonly version: string;
  readonly readStatistics: StatisticsReader;
}

/**
 * The best runbooks for a query, exactly as the four-part sum ranks them. The server gives, for each part, the points that
 * are best in it; that bounds every runbook's score from above, also of those in no list (the threshold algorithm of Fagin,
 * Lotem and Naor, 2001). The most promising ones are scored exactly until no other one can come among the first
 * `limit`; where the lists were too short for that, longer ones are asked for. Only beyond 10,000 points per part is the
 * rest left out. All numbers come from points of the allowed services, so nothing hidden moves a rank.
 */
export async function searchIndex(
  { client, collection, version, readStatistics }: SearchedIndex,
  query: StoreQuery,
  allowedServices: AllowedServices,
  limit: number,
): Promise<SearchResult> {
  const terms = await readStatistics(query.terms.keys(), allowedServices);
  const scorer = {
    chunk: createTextScorer(CHUNK_SCHEME, query.terms, terms.chunk),
    runbook: createTextScorer(RUNBOOK_SCHEME, query.terms, terms.runbook),
  };
  const scored = new Map<string, ScoredRunbook | null>();

  for (const width of WIDTHS) {
    const { highest, unseen } = await findCandidates(client, collection, query, terms, allowedServices, width);
    const promising = [...highest].toSorted(([, left], [, right]) => right - left);
    let next = 0;
    while (next < promising.length && (promising[next]?.[1] ?? 0) >= lowestRanked(scored, limit, query.weights)) {
      const some = promising.slice(next, next + SCORED_AT_ONCE).map(([sourceId]) => sourceId);
      next += some.length;
      const missing = some.filter((sourceId) => !scored.has(sourceId));
      const found = await readScored(client, collection, query, scorer, allowedServices, missing);
      for (const sourceId of missing) scored.set(sourceId, found.get(sourceId) ?? null);
    }
    if (unseen < lowestRanked(scored, limit, query.weights)) break;
  }

  const ranked = rankCandidates(candidatesOf(scored), limit, query.weights);
  return {
    runbooks: await readTexts(client, collection, ranked, scored, allowedServices),
    termIdf: terms.chunk.idf,
    indexVersion: version,
  };
}

function candidatesOf(scored: ReadonlyMap<string, ScoredRunbook | null>) {
  return [...scored.values()].flatMap((runbook) => runbook?.candidate ?? []);
}

/** What a runbook must reach to come among the first: the score of the last of them, a little less for rounding. */
function lowestRanked(
  scored: ReadonlyMap<string, ScoredRunbook | null>,
  limit: number,
  weights: StoreQuery["weights"],
): number {
  const last = rankCandidates(candidatesOf(scored), limit, weights)[limit - 1];
  return last === undefined ? Number.NEGATIVE_INFINITY : last.score - ROUNDING;
}

/** The texts of the chunks that are handed on; they come last, because most scored chunks are not. */
async function readTexts(
  client: QdrantClient,
  collection: string,
  ranked: readonly RankedCandidate[],
  scored: ReadonlyMap<string, ScoredRunbook | null>,
  allowedServices: AllowedServices,
): Promise<RankedRunbook[]> {
  const ids = ranked.flatMap(({ chunks }) => chunks.map(({ chunkId }) => chunkId));
  const texts = new Map<string | number, ChunkPayload>();
  if (ids.length > 0) {
    const filter = allowedPoints("chunk", allowedServices, { has_id: ids });
    for await (const { id, payload } of client.scroll(collection, { filter, limit: ids.length, with_payload: true })) {
      texts.set(id, parsePayload(ChunkPayload, payload));
    }
  }
  return ranked.map((candidate) => ({
    ...candidate,
    chunks: candidate.chunks.flatMap(({ chunkId, score, parts }) => {
      const payload = texts.get(chunkId);
      const matchedTerms = scored.get(candidate.runbook.sourceId)?.matchedTerms(chunkId);
      if (payload === undefined || matchedTerms === undefined) return [];
      return [{ chunk: toChunk(payload), score, parts, matchedTerms }];
    }),
  }));
}
