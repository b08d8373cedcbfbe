import { z } from "zod";

import type { AllowedServices } from "../access/allowed-services.ts";
import type { Chunk, RunbookMetadata } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import type { IndexHeader, IndexVersion, SearchResult, StoreQuery } from "./passage-store.ts";
import type { QdrantClient } from "./qdrant-client.ts";
import { isNotFound } from "./qdrant-connection.ts";
import { allowedPoints, allPoints, ofRunbooks } from "./qdrant-filters.ts";
import { ChunkPayload, FORMAT, parsePayload, pointId, RunbookPayload, toChunk, toRunbook } from "./qdrant-points.ts";
import { searchIndex } from "./qdrant-search.ts";
import { createStatisticsReader } from "./qdrant-statistics.ts";

/** One published collection; it never changes. */
export interface QdrantIndex {
  readonly collection: string;
  readonly version: IndexVersion;
  search(query: StoreQuery, allowedServices: AllowedServices, limit: number): Promise<SearchResult>;
  findRunbooks(sourceIds: readonly string[], allowedServices: AllowedServices): Promise<RunbookMetadata[]>;
  chunksOf(sourceId: string, allowedServices: AllowedServices): Promise<Chunk[]>;
  listRunbooks(): Promise<RunbookMetadata[]>;
}

const PAGE = 256;
const META_ID = pointId("meta", "");

/** Written last: a collection that has it is whole. */
const MetaPayload = z.object({
  kind: z.literal("meta"),
  format: z.int(),
  version: z.string().min(1),
  documents: z.int(),
  chunks: z.int(),
  /** JSON in a string, so that nothing in it becomes a field of the collection. */
  header: z.string(),
});
const Header = z.looseObject({ model: z.looseObject({ dimensions: z.int().min(1) }), indexedAt: z.string() });

export function toMetaPoint(header: IndexHeader, version: string, counts: { documents: number; chunks: number }) {
  const payload: z.infer<typeof MetaPayload> = {
    kind: "meta",
    format: FORMAT,
    version,
    ...counts,
    header: JSON.stringify(header),
  };
  return { id: META_ID, vector: {}, payload };
}

async function readMeta(client: QdrantClient, collection: string) {
  const [point] = await client.retrieve(collection, [META_ID]);
  return MetaPayload.safeParse(point?.payload).data ?? null;
}

/** Is this a whole index of this bot, of whatever format? */
export async function isIndex(client: QdrantClient, collection: string): Promise<boolean> {
  try {
    return (await readMeta(client, collection)) !== null;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** @throws PipelineError `freshness` when the collection is no whole index of this version of the bot. */
export async function openIndex(client: QdrantClient, collection: string): Promise<QdrantIndex> {
  const meta = await readMeta(client, collection);
  if (meta === null) {
    const message = `the Qdrant collection ${collection} was not made by this bot; choose another QDRANT_COLLECTION`;
    throw new PipelineError("freshness", `${message} and run: npm run reindex`);
  }
  if (meta.format !== FORMAT) {
    throw new PipelineError("freshness", "the index was made by another version; run: npm run reindex -- --full");
  }
  const header = parsePayload(Header, JSON.parse(meta.header)) as unknown as IndexHeader;
  const { documents, chunks } = meta;
  const version: IndexVersion = { ...header, version: meta.version, documents, chunks };
  const searched = {
    client,
    collection,
    version: meta.version,
    readStatistics: createStatisticsReader(client, collection),
  };

  async function readRunbooks(filter: Parameters<QdrantClient["scroll"]>[1]["filter"]): Promise<RunbookMetadata[]> {
    const runbooks: RunbookMetadata[] = [];
    for await (const point of client.scroll(collection, { filter, limit: PAGE, with_payload: true })) {
      runbooks.push(toRunbook(parsePayload(RunbookPayload, point.payload)));
    }
    return runbooks.toSorted((left, right) => (left.sourceId < right.sourceId ? -1 : 1));
  }

  return {
    collection,
    version,
    async search(query, allowedServices, limit) {
      if (query.embedding.length !== header.model.dimensions) {
        const widths = `${header.model.dimensions} numbers, the question's has ${query.embedding.length}`;
        throw new PipelineError("freshness", `the index has vectors of ${widths}; run: npm run reindex`);
      }
      return searchIndex(searched, query, allowedServices, limit);
    },
    async findRunbooks(sourceIds, allowedServices) {
      const possible = sourceIds.filter((sourceId) => sourceId.isWellFormed());
      return possible.length === 0 ? [] : readRunbooks(allowedPoints("runbook", allowedServices, ofRunbooks(possible)));
    },
    async chunksOf(sourceId, allowedServices) {
      if (!sourceId.isWellFormed()) return [];
      const filter = allowedPoints("chunk", allowedServices, ofRunbooks([sourceId]));
      const chunks: Chunk[] = [];
      for await (const point of client.scroll(collection, { filter, limit: PAGE, with_payload: true })) {
        chunks.push(toChunk(parsePayload(ChunkPayload, point.payload)));
      }
      return chunks.toSorted((left, right) => left.startIndex - right.startIndex);
    },
    listRunbooks: () => readRunbooks(allPoints(["runbook"])),
  };
}
