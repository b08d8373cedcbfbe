import { z } from "zod";

import type { AllowedServices } from "../access/allowed-services.ts";
import {
  CHUNK_SCHEME,
  FIELDS,
  highestScore,
  inverseFrequency,
  RUNBOOK_SCHEME,
  termWeight,
  type KeywordScheme,
} from "./bm25f.ts";
import type { RankedRunbook, SearchResult, StoreQuery } from "./passage-store.ts";
import type { QdrantRequest } from "./qdrant-connection.ts";
import { ServiceStatistics } from "./qdrant-index-writer.ts";
import {
  ChunkPayload,
  parsePayload,
  RunbookPayload,
  termIndex,
  termKey,
  toChunk,
  toMetadata,
} from "./qdrant-points.ts";
import { rankCandidates, type RunbookCandidate } from "./rank-candidates.ts";

/**
 * Candidates per leg. A runbook outside the first hundred of all four legs scores too low in each to be among the first
 * ten of their sum; inside, every number is exact.
 */
const CANDIDATES = 100;
const PAGE = 256;

type Kind = "chunk" | "runbook";

const ServicePoint = z.object({ chunk: ServiceStatistics, runbook: ServiceStatistics });
const Found = z.object({ payload: z.object({ source_id: z.string() }) });
const Scored = z.object({ payload: z.unknown(), vector: z.object({ dense: z.array(z.number()) }) });

/** The filter of everything that reads an answer: kind, and a service among the allowed ones. Never called with none. */
export function filterFor(kind: Kind | "service", allowedServices: AllowedServices, sourceIds?: readonly string[]) {
  const must = [
    { key: "kind", match: { value: kind } },
    { key: "service", match: { any: [...allowedServices] } },
  ];
  return { must: sourceIds === undefined ? must : [...must, { key: "source_id", match: { any: [...sourceIds] } }] };
}

export async function searchCollection(
  request: QdrantRequest,
  collection: string,
  query: StoreQuery,
  allowedServices: AllowedServices,
  limit: number,
): Promise<Pick<SearchResult, "runbooks" | "termIdf">> {
  const weights = { chunk: await readWeights("chunk"), runbook: await readWeights("runbook") };
  const sourceIds = await findCandidates();
  if (sourceIds.length === 0) return { runbooks: [], termIdf: weights.chunk.idf };

  const [runbooks, chunks] = await Promise.all([readScored("runbook", sourceIds), readScored("chunk", sourceIds)]);
  const chunksBySource = Map.groupBy(
    chunks.map(({ payload, cosine }) => ({ payload: parsePayload(ChunkPayload, payload), cosine })),
    ({ payload }) => payload.source_id,
  );
  const payloads = new Map<string, ChunkPayload>();
  const candidates = runbooks.map(({ payload, cosine }): RunbookCandidate => {
    const runbook = parsePayload(RunbookPayload, payload);
    const own = (chunksBySource.get(runbook.source_id) ?? []).toSorted(
      (left, right) => left.payload.start_index - right.payload.start_index,
    );
    return {
      runbook: toMetadata(runbook),
      summaryCosine: cosine,
      keywords: score(RUNBOOK_SCHEME, weights.runbook, runbook),
      chunks: own.map(({ payload: chunk, cosine: chunkCosine }) => {
        const chunkId = `${chunk.source_id}#${chunk.start_index}`;
        payloads.set(chunkId, chunk);
        return { chunkId, cosine: chunkCosine, keywords: score(CHUNK_SCHEME, weights.chunk, chunk) };
      }),
    };
  });
  const ranked = rankCandidates(candidates, limit).map((candidate): RankedRunbook => ({
    ...candidate,
    chunks: candidate.chunks.flatMap(({ chunkId, score: value, parts }) => {
      const chunk = payloads.get(String(chunkId));
      if (chunk === undefined) return [];
      const matchedTerms = new Map([...weights.chunk.idf].filter(([term]) => chunk.terms[termKey(term)] !== undefined));
      return [{ chunk: toChunk(chunk), score: value, parts, matchedTerms }];
    }),
  }));
  return { runbooks: ranked, termIdf: weights.chunk.idf };

  /** Statistics and rarity of the query's terms among the allowed services. */
  async function readWeights(kind: Kind): Promise<QueryWeights> {
    const wanted = [...query.terms.keys()].map((term) => `${kind}.df.${termKey(term)}`);
    const include = ["chunk.texts", "chunk.lengths", "runbook.texts", "runbook.lengths", ...wanted];
    let texts = 0;
    const lengths = FIELDS.map(() => 0);
    const df = new Map<string, number>();
    for await (const { payload } of scrollAll(request, collection, filterFor("service", allowedServices), {
      include,
    })) {
      const statistics = parsePayload(ServicePoint, payload)[kind];
      texts += statistics.texts;
      statistics.lengths.forEach((length, field) => (lengths[field] = (lengths[field] ?? 0) + length));
      for (const [term, count] of Object.entries(statistics.df)) df.set(term, (df.get(term) ?? 0) + count);
    }
    const idf = new Map(
      [...query.terms.keys()].map((term) => [term, inverseFrequency(texts, df.get(termKey(term)) ?? 0)]),
    );
    const statistics = { texts, averageLengths: lengths.map((length) => (texts === 0 ? 0 : length / texts)) };
    return { terms: query.terms, idf, statistics };
  }

  /** Runbooks that come near in any of the four ways; the filter stands in each search. */
  async function findCandidates(): Promise<string[]> {
    const legs = (["chunk", "runbook"] as const).flatMap((kind) => {
      const common = { filter: filterFor(kind, allowedServices), limit: CANDIDATES, with_payload: ["source_id"] };
      const dense = { ...common, query: [...query.embedding], using: "dense" };
      if (query.terms.size === 0) return [dense];
      const byIndex = new Map(
        [...query.terms].map(([term, weight]) => [termIndex(term), weight * (weights[kind].idf.get(term) ?? 0)]),
      );
      return [
        dense,
        { ...common, query: { indices: [...byIndex.keys()], values: [...byIndex.values()] }, using: "terms" },
      ];
    });
    const results = await request((client) => client.queryBatch(collection, { searches: legs }));
    const found = results.flatMap(({ points }) => points.map((point) => parsePayload(Found, point).payload.source_id));
    return [...new Set(found)];
  }

  async function readScored(kind: Kind, wanted: readonly string[]): Promise<{ payload: unknown; cosine: number }[]> {
    const scored: { payload: unknown; cosine: number }[] = [];
    const filter = filterFor(kind, allowedServices, wanted);
    for await (const point of scrollAll(request, collection, filter, true, true)) {
      const { payload, vector } = parsePayload(Scored, point);
      scored.push({ payload, cosine: cosineOf(query.embedding, vector.dense) });
    }
    return scored;
  }
}

interface QueryWeights {
  readonly terms: ReadonlyMap<string, number>;
  readonly idf: ReadonlyMap<string, number>;
  readonly statistics: { readonly texts: number; readonly averageLengths: readonly number[] };
}

function score(
  scheme: KeywordScheme,
  { terms, idf, statistics }: QueryWeights,
  text: ChunkPayload | RunbookPayload,
): number {
  const weighted = [...terms].map(([term, weight]) => ({ term, weight, idf: idf.get(term) ?? 0 }));
  const highest = highestScore(scheme, weighted);
  if (highest === 0) return 0;
  let sum = 0;
  for (const { term, weight, idf: rarity } of weighted) {
    const counts = text.terms[termKey(term)];
    if (counts !== undefined) sum += weight * rarity * termWeight(scheme, statistics, counts, 0, text.lengths, 0);
  }
  return sum / highest;
}

function cosineOf(left: Float32Array, right: readonly number[]): number {
  let product = 0;
  let length = 0;
  right.forEach((value, index) => {
    product += (left[index] ?? 0) * value;
    length += value * value;
  });
  return length === 0 ? 0 : product / Math.sqrt(length);
}

/** All points of a filter, page by page. */
export async function* scrollAll(
  request: QdrantRequest,
  collection: string,
  filter: object,
  withPayload: boolean | { include: string[] } = true,
  withVector = false,
): AsyncGenerator<{ id: unknown; payload?: unknown; vector?: unknown }> {
  let offset: unknown = undefined;
  do {
    const page = await request((client) =>
      client.scroll(collection, {
        filter,
        limit: PAGE,
        with_payload: withPayload,
        with_vector: withVector,
        ...(offset === undefined || offset === null ? {} : { offset: offset as string }),
      }),
    );
    yield* page.points;
    offset = page.next_page_offset;
  } while (offset !== undefined && offset !== null);
}
