import { z } from "zod";

import { PipelineError } from "../errors.ts";
import { FIELDS } from "./bm25f.ts";
import type { IndexedRunbook, IndexHeader, IndexVersion } from "./passage-store.ts";
import type { QdrantRequest } from "./qdrant-connection.ts";
import { pointId, toPoints, type QdrantPoint } from "./qdrant-points.ts";

/** Points per request: far below the server's 32 MB. */
const BATCH = 100;

/** What a service's texts hold, so that a search counts words of the allowed services only. */
export const ServiceStatistics = z.object({
  texts: z.number(),
  lengths: z.array(z.number()),
  df: z.record(z.string(), z.number()).default({}),
});
export type ServiceStatistics = z.infer<typeof ServiceStatistics>;

interface ServiceCounts {
  readonly chunk: ServiceStatistics;
  readonly runbook: ServiceStatistics;
}

/** A new collection, filled and counted; nobody reads it before the alias is switched to it. */
export async function writeCollection(
  request: QdrantRequest,
  collection: string,
  header: IndexHeader,
  version: string,
  content: { readonly kept: AsyncIterable<QdrantPoint>; readonly changed: AsyncIterable<IndexedRunbook> },
): Promise<IndexVersion> {
  await createCollection(request, collection, header.model.dimensions);
  const services = new Map<string, ServiceCounts>();
  const written = { runbook: 0, chunk: 0 };
  let batch: QdrantPoint[] = [];
  const flush = async () => {
    const points = batch;
    batch = [];
    if (points.length > 0) await request((client) => client.upsert(collection, { wait: true, points }));
  };
  const add = async (point: QdrantPoint) => {
    count(services, point);
    written[point.payload["kind"] === "runbook" ? "runbook" : "chunk"] += 1;
    batch.push(point);
    if (batch.length >= BATCH) await flush();
  };
  for await (const point of content.kept) await add(point);
  for await (const runbook of content.changed) {
    for (const point of toPoints(runbook)) await add(point);
  }
  for (const [service, { chunk, runbook }] of services) {
    batch.push({ id: pointId("service", service), vector: {}, payload: { kind: "service", service, chunk, runbook } });
    if (batch.length >= BATCH) await flush();
  }
  const index = { ...header, version, documents: written.runbook, chunks: written.chunk };
  batch.push({ id: pointId("header", ""), vector: {}, payload: { kind: "header", header: JSON.stringify(index) } });
  await flush();

  const expected = written.runbook + written.chunk + services.size + 1;
  const { count: found } = await request((client) => client.count(collection, { exact: true }));
  if (found !== expected) {
    throw new PipelineError(
      "indexing",
      `Qdrant holds ${found} of ${expected} points; the last index is still in place`,
    );
  }
  return index;
}

async function createCollection(request: QdrantRequest, collection: string, dimensions: number): Promise<void> {
  await request((client) =>
    client.createCollection(collection, {
      vectors: { dense: { size: dimensions, distance: "Cosine" } },
      sparse_vectors: { terms: {} },
      strict_mode_config: { enabled: true, unindexed_filtering_retrieve: false },
    }),
  );
  const keyword = { type: "keyword" as const };
  const indexes = [
    { field_name: "service", field_schema: { ...keyword, is_tenant: true } },
    { field_name: "kind", field_schema: keyword },
    { field_name: "source_id", field_schema: keyword },
  ];
  for (const index of indexes)
    await request((client) => client.createPayloadIndex(collection, { wait: true, ...index }));
}

function count(services: Map<string, ServiceCounts>, { payload }: QdrantPoint): void {
  const { kind, service, terms, lengths } = payload as {
    kind: "chunk" | "runbook";
    service: string;
    terms: Record<string, number[]>;
    lengths: number[];
  };
  const empty = (): ServiceStatistics => ({ texts: 0, lengths: FIELDS.map(() => 0), df: {} });
  const counts = services.get(service) ?? { chunk: empty(), runbook: empty() };
  services.set(service, counts);
  const statistics = counts[kind];
  statistics.texts += 1;
  lengths.forEach((length, field) => (statistics.lengths[field] = (statistics.lengths[field] ?? 0) + length));
  for (const term of Object.keys(terms)) statistics.df[term] = (statistics.df[term] ?? 0) + 1;
}
