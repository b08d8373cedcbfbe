import { z } from "zod";

import { PipelineError } from "../errors.ts";
import type { IndexedRunbook, IndexHeader, IndexVersion } from "./passage-store.ts";
import type { QdrantClient } from "./qdrant-client.ts";
import { allPoints } from "./qdrant-filters.ts";
import { toMetaPoint } from "./qdrant-index-reader.ts";
import { unpackTable } from "./qdrant-pack-terms.ts";
import { DENSE, KEYWORDS, parsePayload, toJson, toPoints, type NewPoint } from "./qdrant-points.ts";
import { createStatisticsCounter } from "./qdrant-statistics.ts";

/** For a cluster; what is left out is the server's default. */
export interface ClusterOptions {
  readonly shardNumber?: number;
  readonly replicationFactor?: number;
  readonly writeConsistencyFactor?: number;
}

/** Far below the server's 32 MB, and few enough points for its strict mode. */
const MOST_BYTES = 8_000_000;
const MOST_POINTS = 256;
/** Points with their vectors come in pages of a few megabytes. */
const CARRIED_PAGE = 128;

const CountedPayload = z.looseObject({
  kind: z.enum(["runbook", "chunk"]),
  service: z.string().min(1),
  source_id: z.string().min(1),
  chunk_count: z.int().min(0),
  terms: z.base64().min(27),
});
type CountedPayload = z.infer<typeof CountedPayload>;

/** No graph is built: every search is exact over the allowed services' points, which the tenant index keeps together. */
export async function createCollection(
  client: QdrantClient,
  collection: string,
  dimensions: number,
  { shardNumber, replicationFactor, writeConsistencyFactor }: ClusterOptions,
): Promise<void> {
  await client.createCollection(collection, {
    vectors: { [DENSE]: { size: dimensions, distance: "Cosine" } },
    sparse_vectors: { [KEYWORDS]: {} },
    hnsw_config: { m: 0 },
    // A filter on a field without an index is refused; the rest is what our searches need, whatever the server's default.
    strict_mode_config: {
      enabled: true,
      unindexed_filtering_retrieve: false,
      unindexed_filtering_update: false,
      search_allow_exact: true,
      max_query_limit: 10_000,
    },
    ...(shardNumber === undefined ? {} : { shard_number: shardNumber }),
    ...(replicationFactor === undefined ? {} : { replication_factor: replicationFactor }),
    ...(writeConsistencyFactor === undefined ? {} : { write_consistency_factor: writeConsistencyFactor }),
  });
  const service = { type: "keyword", is_tenant: true } as const;
  await client.createPayloadIndex(collection, { field_name: "service", field_schema: service });
  await client.createPayloadIndex(collection, { field_name: "kind", field_schema: "keyword" });
  await client.createPayloadIndex(collection, { field_name: "source_id", field_schema: "keyword" });
}

/** Fills a new collection and counts it; its meta point comes last, and only then is it an index. */
export async function writeIndex(
  client: QdrantClient,
  collection: string,
  { header, version }: { readonly header: IndexHeader; readonly version: string },
  content: {
    readonly kept: ReadonlySet<string>;
    readonly keptFrom: string | null;
    readonly changed: AsyncIterable<IndexedRunbook>;
  },
): Promise<IndexVersion> {
  const statistics = createStatisticsCounter();
  const upload = createUpload(client, collection);
  const counts = { documents: 0, chunks: 0 };
  const add = async (point: NewPoint, payload: CountedPayload) => {
    statistics.add(payload.kind, payload.service, unpackTable(payload.terms));
    counts[payload.kind === "runbook" ? "documents" : "chunks"] += 1;
    await upload.add(point);
  };

  for await (const { point, payload } of readKept(client, content)) await add(point, payload);
  for await (const runbook of content.changed) {
    for (const point of toPoints(runbook)) await add(point, point.payload as CountedPayload);
  }
  for (const point of statistics.points()) await upload.add(point);
  await upload.finish();

  const found = await client.countAll(collection);
  if (found !== upload.added()) {
    const message = `Qdrant holds ${found} of ${upload.added()} points; the last index is still in place`;
    throw new PipelineError("indexing", message);
  }
  await client.upsert(collection, [toJson(toMetaPoint(header, version, counts))]);
  return { ...header, version, ...counts };
}

/**
 * The points of runbooks that did not change, with their vectors.
 * @throws PipelineError `indexing` when the published index has not all of them any more: another run came between.
 */
async function* readKept(
  client: QdrantClient,
  { kept, keptFrom }: { readonly kept: ReadonlySet<string>; readonly keptFrom: string | null },
): AsyncGenerator<{ point: NewPoint; payload: CountedPayload }> {
  if (kept.size === 0) return;
  /** Points that are still to come, by source id. */
  const missing = new Map<string, number>();
  const seen = new Set<string>();
  if (keptFrom !== null) {
    const request = {
      filter: allPoints(["runbook", "chunk"]),
      limit: CARRIED_PAGE,
      with_payload: true,
      with_vector: true,
    };
    for await (const { id, payload, vector } of client.scrollPatiently(keptFrom, request)) {
      const counted = parsePayload(CountedPayload, payload);
      const { source_id: sourceId, chunk_count: chunks } = counted;
      if (!kept.has(sourceId)) continue;
      seen.add(sourceId);
      missing.set(sourceId, (missing.get(sourceId) ?? chunks + 1) - 1);
      yield {
        point: { id: String(id), vector: vector as Record<string, unknown>, payload: counted },
        payload: counted,
      };
    }
  }
  if (seen.size === kept.size && [...missing.values()].every((count) => count === 0)) return;
  const message = "the published index changed meanwhile, or is damaged; run: npm run reindex -- --full";
  throw new PipelineError("indexing", message);
}

function createUpload(client: QdrantClient, collection: string) {
  let batch: string[] = [];
  let bytes = 0;
  let added = 0;
  const flush = async () => {
    if (batch.length > 0) await client.upsert(collection, batch);
    batch = [];
    bytes = 0;
  };
  return {
    added: () => added,
    async add(point: NewPoint) {
      const json = toJson(point);
      const size = Buffer.byteLength(json);
      if (batch.length >= MOST_POINTS || (batch.length > 0 && bytes + size > MOST_BYTES)) await flush();
      batch.push(json);
      bytes += size;
      added += 1;
    },
    finish: flush,
  };
}
