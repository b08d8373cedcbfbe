import type { DatabaseSync } from "node:sqlite";

import { FIELDS } from "./bm25f.ts";
import { inTransaction, toBytes } from "./embedding-cache.ts";
import { withoutTexts } from "./pack-postings.ts";
import type { IndexedRunbook, IndexHeader, KeywordFields } from "./passage-store.ts";
import { createPostingsBuffer } from "./postings-buffer.ts";
import { KIND_CHUNK, KIND_RUNBOOK, SCHEMA, SCHEMA_VERSION } from "./sqlite-schema.ts";

/** Writes runbooks into an index file that nobody reads yet. */
export interface IndexWriter {
  /** Removes every runbook but these. */
  keepOnly(sourceIds: ReadonlySet<string>): void;
  add(runbook: IndexedRunbook): void;
  /** Packs the postings, counts the statistics and writes the header; the file is then complete. */
  finish(header: IndexHeader, version: string): { documents: number; chunks: number };
}

export function createSchema(database: DatabaseSync): void {
  database.exec(SCHEMA);
}

export function createIndexWriter(database: DatabaseSync): IndexWriter {
  // Nobody reads the file before it is renamed, and a broken run throws it away: no journal is needed.
  database.exec(
    "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -32768; PRAGMA temp_store = FILE",
  );
  const insertRunbook = database.prepare("INSERT INTO runbooks VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  const insertChunk = database.prepare("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  const postings = createPostingsBuffer(database);
  let nextRunbook = highestId(database, "runbooks") + 1;
  let nextChunk = highestId(database, "chunks") + 1;

  return {
    keepOnly: (sourceIds) => removeOthers(database, sourceIds),
    add(indexed) {
      const { runbook } = indexed;
      const runbookId = nextRunbook++;
      const { service } = runbook;
      inTransaction(database, () => {
        const lengths = toLengths(indexed.keywords);
        const vectors = joinVectors([indexed.summaryEmbedding, ...indexed.chunks.map(({ embedding }) => embedding)]);
        const metadata = JSON.stringify(runbook);
        const { length } = indexed.chunks;
        insertRunbook.run(runbookId, runbook.sourceId, service, metadata, lengths, nextChunk, length, vectors);
        postings.add(indexed.keywords, service, KIND_RUNBOOK, runbookId);
        for (const { chunk, keywords } of indexed.chunks) {
          const chunkId = nextChunk++;
          const trail = JSON.stringify(chunk.headingTrail);
          const { startIndex, startLine, text } = chunk;
          insertChunk.run(chunkId, runbookId, service, trail, startIndex, startLine, text, toLengths(keywords));
          postings.add(keywords, service, KIND_CHUNK, chunkId);
        }
      });
    },
    finish(header, version) {
      inTransaction(database, () => {
        postings.flush();
        countStatistics(database);
        writeLengthTables(database);
        const meta = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
        meta.run("schema", SCHEMA_VERSION);
        meta.run("version", version);
        meta.run("header", JSON.stringify(header));
      });
      return { documents: countRows(database, "runbooks"), chunks: countRows(database, "chunks") };
    },
  };
}

function toLengths(keywords: KeywordFields): Uint8Array {
  return new Uint8Array(Uint32Array.from(FIELDS, (field) => keywords[field].length).buffer);
}

function joinVectors(vectors: readonly Float32Array[]): Uint8Array {
  const joined = new Float32Array(vectors.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const vector of vectors) {
    joined.set(vector, at);
    at += vector.length;
  }
  return toBytes(joined);
}

function removeOthers(database: DatabaseSync, sourceIds: ReadonlySet<string>): void {
  const gone = { runbooks: new Set<number>(), chunks: new Set<number>(), services: new Set<string>() };
  const chunksOf = database.prepare("SELECT id FROM chunks WHERE runbook_id = ?");
  for (const row of database.prepare("SELECT id, source_id, service FROM runbooks").all()) {
    if (sourceIds.has(row["source_id"] as string)) continue;
    gone.runbooks.add(row["id"] as number);
    gone.services.add(row["service"] as string);
    for (const chunk of chunksOf.all(row["id"] as number)) gone.chunks.add(chunk["id"] as number);
  }
  if (gone.runbooks.size === 0) return;
  inTransaction(database, () => {
    deleteRows(database, "DELETE FROM runbooks WHERE id = ?", gone.runbooks);
    deleteRows(database, "DELETE FROM chunks WHERE id = ?", gone.chunks);
    const update = database.prepare("UPDATE postings SET data = ? WHERE term = ? AND service = ? AND kind = ?");
    const remove = database.prepare("DELETE FROM postings WHERE term = ? AND service = ? AND kind = ?");
    const affected = database.prepare(
      "SELECT term, service, kind, data FROM postings WHERE service IN (SELECT value FROM json_each(?))",
    );
    for (const row of affected.all(JSON.stringify([...gone.services]))) {
      const data = row["data"] as Uint8Array;
      const left = withoutTexts(data, row["kind"] === KIND_CHUNK ? gone.chunks : gone.runbooks);
      const key = [row["term"] as string, row["service"] as string, row["kind"] as number] as const;
      if (left === null) remove.run(...key);
      else if (left.byteLength !== data.byteLength) update.run(left, ...key);
    }
  });
}

function deleteRows(database: DatabaseSync, sql: string, ids: ReadonlySet<number>): void {
  const statement = database.prepare(sql);
  for (const id of ids) statement.run(id);
}

function countStatistics(database: DatabaseSync): void {
  database.exec("DELETE FROM service_statistics");
  const totals = new Map<string, number[]>();
  for (const [kind, table] of [
    [KIND_CHUNK, "chunks"],
    [KIND_RUNBOOK, "runbooks"],
  ] as const) {
    totals.clear();
    for (const row of database.prepare(`SELECT service, lengths FROM ${table}`).iterate()) {
      const service = row["service"] as string;
      const sums = totals.get(service) ?? [0, ...FIELDS.map(() => 0)];
      totals.set(service, sums);
      sums[0] = (sums[0] ?? 0) + 1;
      readLengths(row["lengths"]).forEach((length, field) => (sums[field + 1] = (sums[field + 1] ?? 0) + length));
    }
    const insert = database.prepare("INSERT INTO service_statistics VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
    for (const [service, sums] of totals) insert.run(service, kind, ...sums);
  }
}

/** The lengths of all texts by id in one piece: an index opens at once. */
function writeLengthTables(database: DatabaseSync): void {
  const meta = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
  for (const table of ["chunks", "runbooks"] as const) {
    const lengths = new Uint32Array((highestId(database, table) + 1) * FIELDS.length);
    for (const row of database.prepare(`SELECT id, lengths FROM ${table}`).iterate()) {
      lengths.set(readLengths(row["lengths"]), (row["id"] as number) * FIELDS.length);
    }
    meta.run(`lengths_${table}`, new Uint8Array(lengths.buffer));
  }
}

function readLengths(value: unknown): Uint32Array {
  return new Uint32Array((value as Uint8Array).slice().buffer);
}

function highestId(database: DatabaseSync, table: "chunks" | "runbooks"): number {
  const row = database.prepare(`SELECT max(id) AS highest FROM ${table}`).get();
  return (row?.["highest"] as number | null) ?? 0;
}

function countRows(database: DatabaseSync, table: "chunks" | "runbooks"): number {
  return database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"] as number;
}
