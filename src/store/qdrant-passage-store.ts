import { randomBytes } from "node:crypto";

import { z } from "zod";

import { PipelineError } from "../errors.ts";
import type { IndexVersion, PassageStore } from "./passage-store.ts";
import { connectQdrant, isNotFound, type QdrantRequest, type QdrantSettings } from "./qdrant-connection.ts";
import { writeCollection } from "./qdrant-index-writer.ts";
import {
  ChunkPayload,
  parsePayload,
  pointId,
  RunbookPayload,
  toChunk,
  toMetadata,
  type QdrantPoint,
} from "./qdrant-points.ts";
import { filterFor, scrollAll, searchCollection } from "./qdrant-search.ts";

/** How long a search may go on using a version after a newer one was published. */
const RECHECK_MS = 2000;
const PAGE_OF_SOURCES = 100;

const HeaderPayload = z.object({ kind: z.literal("header"), header: z.string() });
const PointShape = z.object({
  id: z.string(),
  payload: z.record(z.string(), z.unknown()),
  vector: z.record(z.string(), z.unknown()),
});

interface Published {
  readonly collection: string;
  readonly index: IndexVersion;
}

/**
 * Qdrant: one collection per index version, behind an alias that is switched in one call, so that readers see the old
 * version or the new one whole. The version before stays for searches in flight; older ones and leftovers go.
 */
export function createQdrantPassageStore(settings: QdrantSettings): PassageStore {
  const alias = settings.collection;
  const request = connectQdrant(settings);
  let known: { readonly published: Published | null; readonly at: number } | null = null;

  async function current(fresh = false): Promise<Published | null> {
    if (!fresh && known !== null && Date.now() - known.at < RECHECK_MS) return known.published;
    const collection = await findAliased(request, alias);
    const same = known?.published?.collection === collection ? known.published : null;
    const published =
      collection === null ? null : (same ?? { collection, index: await readHeader(request, collection) });
    known = { published, at: Date.now() };
    return published;
  }

  async function needCurrent(): Promise<Published> {
    const published = await current();
    if (published === null) throw new PipelineError("freshness", "Qdrant has no index yet; run: npm run reindex");
    return published;
  }

  return {
    currentIndex: async () => (await current())?.index ?? null,
    async search(query, allowedServices, limit) {
      if (allowedServices.size === 0) return { runbooks: [], termIdf: new Map(), indexVersion: "" };
      const { collection, index } = await needCurrent();
      if (query.embedding.length !== index.model.dimensions) {
        throw new PipelineError("freshness", "the index has vectors of another width; run: npm run reindex");
      }
      const found = await searchCollection(request, collection, query, allowedServices, limit);
      return { ...found, indexVersion: index.version };
    },
    async findRunbooks(sourceIds, allowedServices) {
      if (allowedServices.size === 0 || sourceIds.length === 0) return [];
      const { collection } = await needCurrent();
      return sorted(
        await collect(scrollAll(request, collection, filterFor("runbook", allowedServices, sourceIds)), toRunbook),
      );
    },
    async chunksOf(sourceId, allowedServices) {
      if (allowedServices.size === 0) return [];
      const { collection } = await needCurrent();
      const points = scrollAll(request, collection, filterFor("chunk", allowedServices, [sourceId]));
      const chunks = await collect(points, (payload) => toChunk(parsePayload(ChunkPayload, payload)));
      return chunks.toSorted((left, right) => left.startIndex - right.startIndex);
    },
    async listRunbooks() {
      const published = await current(true);
      if (published === null) return [];
      const filter = { must: [{ key: "kind", match: { value: "runbook" } }] };
      return sorted(await collect(scrollAll(request, published.collection, filter), toRunbook));
    },
    async publish(header, kept, changed) {
      const before = await current(true).catch(() => null);
      const version = `${header.indexedAt.replace(/[-:]|\.\d+/g, "")}-${randomBytes(4).toString("hex")}`;
      const collection = `${alias}_${version}`;
      const carried = before === null ? nothing() : readKept(request, before.collection, kept);
      let index: IndexVersion;
      try {
        index = await writeCollection(request, collection, header, version, { kept: carried, changed });
        await switchAlias(request, alias, collection, before !== null);
      } catch (error) {
        await request((client) => client.deleteCollection(collection)).catch(() => undefined);
        throw error;
      }
      known = { published: { collection, index }, at: Date.now() };
      await removeLeftovers(request, alias, [collection, before?.collection ?? collection]);
      return index;
    },
    close: async () => undefined,
  };
}

async function findAliased(request: QdrantRequest, alias: string): Promise<string | null> {
  const { aliases } = await request((client) => client.getAliases());
  return aliases.find(({ alias_name: name }) => name === alias)?.collection_name ?? null;
}

/** @throws PipelineError `freshness` when the collection is not one of ours: it is refused, never half-read. */
async function readHeader(request: QdrantRequest, collection: string): Promise<IndexVersion> {
  const [point] = await request((client) =>
    client.retrieve(collection, { ids: [pointId("header", "")], with_payload: true }),
  ).catch((error: unknown) => {
    if (isNotFound(error)) return [];
    throw error;
  });
  const parsed = HeaderPayload.safeParse(point?.payload);
  if (parsed.success) return JSON.parse(parsed.data.header) as IndexVersion;
  throw new PipelineError("freshness", `the collection ${collection} was not made by this bot; run: npm run reindex`);
}

/** One call: no reader finds the alias missing or half-switched. */
async function switchAlias(request: QdrantRequest, alias: string, collection: string, exists: boolean): Promise<void> {
  const create = { create_alias: { collection_name: collection, alias_name: alias } };
  const actions = exists ? [{ delete_alias: { alias_name: alias } }, create] : [create];
  await request((client) => client.updateCollectionAliases({ actions }));
}

/** Collections of runs that were killed, and versions older than the one before. Their removal may fail: the next run tries. */
async function removeLeftovers(request: QdrantRequest, alias: string, kept: readonly string[]): Promise<void> {
  const { collections } = await request((client) => client.getCollections()).catch(() => ({ collections: [] }));
  const ours = new RegExp(`^${alias}_\\d{8}T\\d{6}Z-[0-9a-f]{8}$`);
  for (const { name } of collections) {
    if (!ours.test(name) || kept.includes(name)) continue;
    await request((client) => client.deleteCollection(name)).catch(() => undefined);
  }
}

/** The points of runbooks that did not change, with their vectors. */
async function* readKept(
  request: QdrantRequest,
  collection: string,
  kept: ReadonlySet<string>,
): AsyncGenerator<QdrantPoint> {
  const sourceIds = [...kept];
  for (let from = 0; from < sourceIds.length; from += PAGE_OF_SOURCES) {
    const filter = { must: [{ key: "source_id", match: { any: sourceIds.slice(from, from + PAGE_OF_SOURCES) } }] };
    for await (const point of scrollAll(request, collection, filter, true, true)) {
      yield parsePayload(PointShape, point);
    }
  }
}

async function* nothing(): AsyncGenerator<QdrantPoint> {}

function toRunbook(payload: unknown) {
  return toMetadata(parsePayload(RunbookPayload, payload));
}

async function collect<T>(points: AsyncIterable<{ payload?: unknown }>, read: (payload: unknown) => T): Promise<T[]> {
  const values: T[] = [];
  for await (const { payload } of points) values.push(read(payload));
  return values;
}

function sorted<T extends { readonly sourceId: string }>(runbooks: readonly T[]): T[] {
  return runbooks.toSorted((left, right) => (left.sourceId < right.sourceId ? -1 : 1));
}
