import { createHash, randomBytes } from "node:crypto";
import { hostname } from "node:os";

import { PipelineError } from "../errors.ts";
import { isProcessAlive } from "./is-process-alive.ts";
import type { QdrantClient } from "./qdrant-client.ts";
import { isNotFound } from "./qdrant-connection.ts";
import { isIndex } from "./qdrant-index-reader.ts";

/** A build of another machine that is older than this was broken off. */
const LONGEST_BUILD_MS = 24 * 3_600_000;

/** Collections that this process is building: a process id alone doesn't tell them from what an earlier one left. */
const building = new Set<string>();

/**
 * The collections of one alias: `<alias>_<version>`, of which the alias points at the published one. A version names its
 * time and who builds it (machine and process), so that what a killed run left can be told from what is being built.
 */
export interface QdrantVersions {
  /** The collection behind the alias, or null when there is none. */
  published(): Promise<string | null>;
  /** @throws PipelineError `indexing` when the alias is somebody else's. */
  assertOurs(): Promise<void>;
  /** Names a new version and its collection; while `work` runs, nobody takes the collection for a left-over. */
  build<T>(indexedAt: string, work: (version: string, collection: string) => Promise<T>): Promise<T>;
  /** Points the alias at a collection in one step; readers see the one before or this one. */
  switchTo(collection: string): Promise<void>;
  /** Removes what killed runs left, and superseded versions but those to keep. */
  removeOthers(keep: ReadonlySet<string>): Promise<void>;
}

export function createVersions(client: QdrantClient, alias: string): QdrantVersions {
  const machine = createHash("sha256").update(hostname()).digest("hex").slice(0, 6);
  const pattern = new RegExp(`^${alias}_(\\d{8}T\\d{6})Z-([0-9a-f]{6})-(\\d+)-[0-9a-f]{6}$`);

  async function published(): Promise<string | null> {
    const aliases = await client.listAliases();
    return aliases.find(({ alias_name: name }) => name === alias)?.collection_name ?? null;
  }

  /** A build that may still be going on is left alone; a whole index that nobody points at is one of the past. */
  async function isLeftOver(collection: string): Promise<boolean> {
    const [, stamp, builtOn, builder] = pattern.exec(collection) ?? [];
    if (stamp === undefined || building.has(collection)) return false;
    const here = builtOn === machine;
    if (here && (Number(builder) === process.pid || !isProcessAlive(Number(builder)))) return true;
    if (Date.now() - readStamp(stamp) > LONGEST_BUILD_MS) return true;
    return isIndex(client, collection);
  }

  return {
    published,
    async assertOurs() {
      const collection = await published();
      if (collection === null && (await client.listCollections()).includes(alias)) {
        const message = `Qdrant has a collection named ${alias} that this bot did not make; choose another QDRANT_COLLECTION`;
        throw new PipelineError("indexing", message);
      }
      if (collection === null || pattern.test(collection) || (await isIndex(client, collection))) return;
      const message = `the Qdrant alias ${alias} points at ${collection}, which this bot did not make`;
      throw new PipelineError("indexing", `${message}; choose another QDRANT_COLLECTION`);
    },
    async build(indexedAt, work) {
      const stamp = new Date(indexedAt).toISOString().replace(/[-:]|\.\d+/g, "");
      const version = `${stamp}-${machine}-${process.pid}-${randomBytes(3).toString("hex")}`;
      const collection = `${alias}_${version}`;
      building.add(collection);
      try {
        return await work(version, collection);
      } finally {
        building.delete(collection);
      }
    },
    async switchTo(collection) {
      const before = await published();
      const create = { create_alias: { collection_name: collection, alias_name: alias } };
      await client.updateAliases(before === null ? [create] : [{ delete_alias: { alias_name: alias } }, create]);
    },
    async removeOthers(keep) {
      for (const collection of await client.listCollections()) {
        if (keep.has(collection) || !(await isLeftOver(collection))) continue;
        await client.deleteCollection(collection).catch((error: unknown) => {
          if (!isNotFound(error)) throw error;
        });
      }
    },
  };
}

function readStamp(stamp: string): number {
  return Date.parse(stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)$/, "$1-$2-$3T$4:$5:$6Z"));
}
