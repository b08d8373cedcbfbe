import { PipelineError } from "../errors.ts";
import type { PassageStore } from "./passage-store.ts";
import { createQdrantClient } from "./qdrant-client.ts";
import {
  connectQdrant,
  isNotFound,
  READING,
  WRITING,
  type Patience,
  type QdrantSettings,
} from "./qdrant-connection.ts";
import { openIndex, type QdrantIndex } from "./qdrant-index-reader.ts";
import { createCollection, writeIndex, type ClusterOptions } from "./qdrant-index-writer.ts";
import { createVersions } from "./qdrant-versions.ts";

export interface QdrantOptions extends ClusterOptions {
  /** While somebody waits for an answer. */
  readonly reading?: Partial<Patience>;
  /** While an index is published. */
  readonly writing?: Partial<Patience>;
}

/** How long a search may go on using an index after a newer one was published. */
const RECHECK_MS = 1000;

/**
 * The Qdrant store: one collection per index version behind an alias, `settings.collection`. A new index is built in a
 * collection of its own, and the alias is switched to it in one step, so that readers see the old index or the new one
 * whole. The one before stays for readers in flight.
 */
export function createQdrantPassageStore(settings: QdrantSettings, options: QdrantOptions = {}): PassageStore {
  const alias = settings.collection;
  const client = createQdrantClient(connectQdrant(settings), {
    reading: { ...READING, ...options.reading },
    writing: { ...WRITING, ...options.writing },
  });
  const versions = createVersions(client, alias);
  let known: { readonly index: QdrantIndex | null; readonly checkedAt: number } | null = null;

  /** The published index; `checked` again when that was a while ago, or at once. */
  async function current(recheckAfter = RECHECK_MS): Promise<QdrantIndex | null> {
    if (known !== null && Date.now() - known.checkedAt < recheckAfter) return known.index;
    const checkedAt = Date.now();
    const collection = await versions.published();
    if (collection === null) await assertFree();
    const same = known?.index?.collection === collection ? known?.index : null;
    const index = collection === null ? null : (same ?? (await openIndex(client, collection)));
    known = { index, checkedAt };
    return index;
  }

  /** A collection in the alias's place is somebody else's. */
  async function assertFree(): Promise<void> {
    if (!(await client.listCollections()).includes(alias)) return;
    const message = `the Qdrant collection ${alias} was not made by this bot; choose another QDRANT_COLLECTION`;
    throw new PipelineError("freshness", `${message} and run: npm run reindex`);
  }

  async function reading<T>(work: (index: QdrantIndex) => Promise<T>): Promise<T> {
    const use = async (recheckAfter?: number) => {
      const index = await current(recheckAfter);
      if (index === null) {
        throw new PipelineError("freshness", `Qdrant has no index named ${alias}; run: npm run reindex`);
      }
      return work(index);
    };
    try {
      return await use();
    } catch (error) {
      if (!isNotFound(error)) throw error;
      // Two publications within one question: the index it began with is gone.
      return use(0);
    }
  }

  return {
    currentIndex: async () => (await current(0))?.version ?? null,
    search: async (query, allowedServices, limit) =>
      allowedServices.size === 0
        ? { runbooks: [], termIdf: new Map(), indexVersion: "" }
        : reading((index) => index.search(query, allowedServices, limit)),
    findRunbooks: async (sourceIds, allowedServices) =>
      allowedServices.size === 0 ? [] : reading((index) => index.findRunbooks(sourceIds, allowedServices)),
    chunksOf: async (sourceId, allowedServices) =>
      allowedServices.size === 0 ? [] : reading((index) => index.chunksOf(sourceId, allowedServices)),
    listRunbooks: async () => (await current(0))?.listRunbooks() ?? [],
    async publish(header, kept, changed) {
      try {
        await versions.assertOurs();
        const before = await versions.published();
        await versions.removeOthers(new Set(before === null ? [] : [before]));
        return await versions.build(header.indexedAt, async (version, collection) => {
          try {
            await createCollection(client, collection, header.model.dimensions, options);
            const index = await writeIndex(
              client,
              collection,
              { header, version },
              { kept, keptFrom: before, changed },
            );
            await versions.switchTo(collection);
            // The index is out: what can't be removed now, the next run removes.
            const keep = new Set(before === null ? [collection] : [collection, before]);
            await versions.removeOthers(keep).catch(() => undefined);
            return index;
          } catch (error) {
            await removeUnpublished(collection);
            throw error;
          }
        });
      } catch (cause) {
        if (cause instanceof PipelineError) throw cause;
        const reason = cause instanceof Error ? cause.message : String(cause);
        const message = `the index could not be written to Qdrant (${reason}); the last one is still in place`;
        throw new PipelineError("indexing", message, { cause });
      } finally {
        known = null;
      }
    },
    close: async () => undefined,
  };

  /** What failed may have been the answer only: the alias is asked before anything is removed. */
  async function removeUnpublished(collection: string): Promise<void> {
    try {
      if ((await versions.published()) !== collection) await client.deleteCollection(collection);
    } catch {
      // The next run removes it.
    }
  }
}
