import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { isSameModel } from "../models/embedding-model.ts";
import { cannotWrite } from "./cannot-write.ts";
import type { EmbeddingModelInfo } from "./passage-store.ts";

/** Embeddings by model and text, kept between runs: an unchanged text is never embedded twice. */
export interface EmbeddingCache {
  get(text: string): Float32Array | null;
  /** Durable when it returns, so that a run broken half-way goes on from here. */
  put(entries: ReadonlyMap<string, Float32Array>): void;
  /** Keeps the embeddings that were needed most recently, at most this many; leaves them all when it can't. */
  trim(entries: number): void;
  close(): void;
}

/**
 * Opens (or makes) the cache file for one model. It may be deleted at any time: it only saves work.
 * @throws PipelineError `indexing` when it can't be written.
 */
export function openEmbeddingCache(path: string, model: EmbeddingModelInfo): EmbeddingCache {
  try {
    return openCache(path, model);
  } catch (cause) {
    throw cannotWrite(path, cause);
  }
}

function openCache(path: string, model: EmbeddingModelInfo): EmbeddingCache {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS models (id INTEGER PRIMARY KEY, info TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS embeddings (
      model INTEGER NOT NULL, text_hash BLOB NOT NULL, embedding BLOB NOT NULL,
      used_at INTEGER NOT NULL, PRIMARY KEY (model, text_hash)
    ) WITHOUT ROWID;
  `);
  const modelId = findModel(database, model);
  const select = database.prepare("SELECT embedding FROM embeddings WHERE model = ? AND text_hash = ?");
  const insert = database.prepare("INSERT OR REPLACE INTO embeddings VALUES (?, ?, ?, ?)");
  const used = new Set<string>();

  return {
    get(text) {
      const hash = hashText(text);
      const row = select.get(modelId, hash) as { embedding: Uint8Array } | undefined;
      if (row === undefined || row.embedding.byteLength !== model.dimensions * 4) return null;
      used.add(hash.toString("hex"));
      return toFloats(row.embedding);
    },
    put(entries) {
      try {
        inTransaction(database, () => {
          for (const [text, embedding] of entries) insert.run(modelId, hashText(text), toBytes(embedding), now());
        });
      } catch (cause) {
        throw cannotWrite(path, cause, "; what was embedded before is kept");
      }
    },
    trim(entries) {
      try {
        inTransaction(database, () => trimTo(database, entries, { modelId, used }));
      } catch {
        // The index is published by now; a later run trims.
      }
    },
    close: () => database.close(),
  };
}

function trimTo(
  database: DatabaseSync,
  entries: number,
  { modelId, used }: { readonly modelId: number; readonly used: ReadonlySet<string> },
): void {
  const touch = database.prepare("UPDATE embeddings SET used_at = ? WHERE model = ? AND text_hash = ?");
  for (const hash of used) touch.run(now(), modelId, Buffer.from(hash, "hex"));
  database
    .prepare(
      `DELETE FROM embeddings WHERE (model, text_hash) IN
         (SELECT model, text_hash FROM embeddings ORDER BY used_at DESC LIMIT -1 OFFSET ?)`,
    )
    .run(entries);
  database.exec("DELETE FROM models WHERE id NOT IN (SELECT model FROM embeddings)");
}

/** The same cache, written but not read: everything is embedded anew. */
export function withoutReads(cache: EmbeddingCache): EmbeddingCache {
  return { ...cache, get: () => null };
}

function findModel(database: DatabaseSync, model: EmbeddingModelInfo): number {
  for (const row of database.prepare("SELECT id, info FROM models").all()) {
    if (isSameModel(JSON.parse(row["info"] as string) as EmbeddingModelInfo, model)) return row["id"] as number;
  }
  const { lastInsertRowid } = database.prepare("INSERT INTO models (info) VALUES (?)").run(JSON.stringify(model));
  return Number(lastInsertRowid);
}

export function inTransaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    // A full disk has rolled back already; the failure that counts is the first one.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

export function toBytes(floats: Float32Array): Uint8Array {
  return new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength);
}

export function toFloats(bytes: Uint8Array): Float32Array {
  return new Float32Array(bytes.slice().buffer);
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}

function hashText(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
