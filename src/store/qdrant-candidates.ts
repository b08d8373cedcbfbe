import { z } from "zod";

import type { AllowedServices } from "../access/allowed-services.ts";
import { CHUNK_SCHEME, RUNBOOK_SCHEME, termShares, type KeywordScheme } from "./bm25f.ts";
import type { ScoreParts, StoreQuery } from "./passage-store.ts";
import { mostAbove, REFERENCE_CHUNK, REFERENCE_RUNBOOK } from "./qdrant-bounds.ts";
import type { QdrantClient, QdrantPoint, QdrantSearch } from "./qdrant-client.ts";
import { allowedPoints } from "./qdrant-filters.ts";
import { hashTerm, sparseIndex } from "./qdrant-pack-terms.ts";
import { DENSE, KEYWORDS, parsePayload } from "./qdrant-points.ts";
import type { TermStatistics } from "./qdrant-statistics.ts";
import { sumParts } from "./rank-candidates.ts";

/** Runbooks that a query may find, each with the most that its score can be. */
export interface Candidates {
  /** By source id. */
  readonly highest: ReadonlyMap<string, number>;
  /** The most that a runbook scores that is not among them; -Infinity when all are. */
  readonly unseen: number;
}

/** For one part of the score: what each runbook in the list gets at most, and what any other one gets at most. */
interface PartList {
  readonly listed: ReadonlyMap<string, number>;
  readonly others: number;
}

const Listed = z.object({ source_id: z.string().min(1) });
/** Above what 32-bit arithmetic in the server can lose. */
const SLACK = 1e-4;

/** Each of the four parts of the score gives the `width` points that are best in it; the filter stands in each search. */
export async function findCandidates(
  client: QdrantClient,
  collection: string,
  query: StoreQuery,
  terms: { readonly chunk: TermStatistics; readonly runbook: TermStatistics },
  allowedServices: AllowedServices,
  width: number,
): Promise<Candidates> {
  const chunks = { ...search(allowedPoints("chunk", allowedServices)), limit: width };
  const runbooks = { ...search(allowedPoints("runbook", allowedServices)), limit: width };
  const sparse = {
    chunk: sparseQuery(CHUNK_SCHEME, query, terms.chunk),
    runbook: sparseQuery(RUNBOOK_SCHEME, query, terms.runbook),
  };
  const dense = { query: [...query.embedding], using: DENSE, params: { exact: true } };
  const searches: QdrantSearch[] = [
    { ...chunks, ...dense },
    { ...runbooks, ...dense },
    ...(sparse.chunk === null ? [] : [{ ...chunks, query: sparse.chunk, using: KEYWORDS }]),
    ...(sparse.runbook === null ? [] : [{ ...runbooks, query: sparse.runbook, using: KEYWORDS }]),
  ];
  const lists = await client.queryBatch(collection, searches);

  const [byChunk = [], bySummary = [], ...byKeywords] = lists;
  const chunkKeywords = sparse.chunk === null ? [] : (byKeywords[0] ?? []);
  const runbookKeywords = sparse.runbook === null ? [] : (byKeywords.at(-1) ?? []);
  return boundScores(
    {
      chunkCosine: readList(byChunk, width, 0),
      summaryCosine: readList(bySummary, width, NO_OTHER),
      chunkKeywords: readList(chunkKeywords, width, 0, mostAbove(terms.chunk.statistics, REFERENCE_CHUNK)),
      runbookKeywords: readList(runbookKeywords, width, 0, mostAbove(terms.runbook.statistics, REFERENCE_RUNBOOK)),
    },
    query.weights,
  );
}

function search(filter: QdrantSearch["filter"]) {
  return { filter, with_payload: { include: ["source_id"] } };
}

/** The score of a text is then the sum over the query's terms of share × weight; null when no text holds any of them. */
function sparseQuery(scheme: KeywordScheme, query: StoreQuery, { idf, known }: TermStatistics) {
  const values = new Map<number, number>();
  for (const [term, share] of termShares(scheme, query.terms, idf)) {
    if (!known.has(term)) continue;
    const index = sparseIndex(hashTerm(term));
    values.set(index, (values.get(index) ?? 0) + share);
  }
  return values.size === 0 ? null : { indices: [...values.keys()], values: [...values.values()] };
}

/** `least`: what a runbook has that no longer list would show. A runbook's first point in a list is its best. */
function readList(points: readonly QdrantPoint[], width: number, least: number, factor = 1): PartList {
  const most = (score: number | undefined) => Math.max(least, (score ?? 0) * factor + SLACK);
  const listed = new Map<string, number>();
  for (const { payload, score } of points) {
    const { source_id: sourceId } = parsePayload(Listed, payload);
    if (!listed.has(sourceId)) listed.set(sourceId, most(score));
  }
  return { listed, others: points.length < width ? least : most(points.at(-1)?.score) };
}

/** Of a list that holds every runbook: no other can be there. Finite, so that a weight of 0 makes it 0. */
const NO_OTHER = -1e9;

function boundScores(lists: Readonly<Record<keyof ScoreParts, PartList>>, weights: StoreQuery["weights"]): Candidates {
  const most = (part: keyof ScoreParts, sourceId: string | null) =>
    (sourceId === null ? undefined : lists[part].listed.get(sourceId)) ?? lists[part].others;
  const bound = (sourceId: string | null) =>
    sumParts(
      {
        chunkCosine: most("chunkCosine", sourceId),
        summaryCosine: most("summaryCosine", sourceId),
        chunkKeywords: Math.min(1, most("chunkKeywords", sourceId)),
        runbookKeywords: Math.min(1, most("runbookKeywords", sourceId)),
      },
      weights,
    );
  const sourceIds = new Set(Object.values(lists).flatMap(({ listed }) => [...listed.keys()]));
  return {
    highest: new Map([...sourceIds].map((sourceId) => [sourceId, bound(sourceId)])),
    unseen: bound(null),
  };
}
