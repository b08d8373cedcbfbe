import type { DatabaseSync, StatementSync } from "node:sqlite";

import { FIELDS } from "./bm25f.ts";
import { inTransaction, toBytes } from "./embedding-cache.ts";
import { appendPostings, packPostings, withoutTexts, type Posting } from "./pack-postings.ts";
import type { IndexedRunbook, IndexHeader, KeywordFields } from "./passage-store.ts";
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
  database.exec("CREATE TEMP TABLE staged (term TEXT, service TEXT, kind INTEGER, id INTEGER, counts BLOB)");
  const insert = prepareInserts(database);
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
        const summary = toBytes(indexed.summaryEmbedding);
        insert.runbook.run(runbookId, runbook.sourceId, service, JSON.stringify(runbook), summary, lengths);
        stage(insert.staged, indexed.keywords, service, KIND_RUNBOOK, runbookId);
        for (const { chunk, embedding, keywords } of indexed.chunks) {
          const chunkId = nextChunk++;
          const trail = JSON.stringify(chunk.headingTrail);
          const { startIndex, startLine, text } = chunk;
          insert.chunk.run(chunkId, runbookId, service, trail, startIndex, startLine, text, toLengths(keywords));
          insert.vector.run(chunkId, service, toBytes(embedding));
          stage(insert.staged, keywords, service, KIND_CHUNK, chunkId);
        }
      });
    },
    finish(header, version) {
      inTransaction(database, () => {
        packStaged(database);
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

function prepareInserts(database: DatabaseSync) {
  return {
    runbook: database.prepare("INSERT INTO runbooks VALUES (?, ?, ?, ?, ?, ?)"),
    chunk: database.prepare("INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?)"),
    vector: database.prepare("INSERT INTO chunk_vectors VALUES (?, ?, ?)"),
    staged: database.prepare("INSERT INTO staged VALUES (?, ?, ?, ?, ?)"),
  };
}

function stage(insert: StatementSync, keywords: KeywordFields, service: string, kind: number, id: number): void {
  const terms = new Set(FIELDS.flatMap((field) => [...keywords[field].counts.keys()]));
  for (const term of terms) {
    const counts = Uint16Array.from(FIELDS, (field) => Math.min(keywords[field].counts.get(term) ?? 0, 0xff_ff));
    insert.run(term, service, kind, id, new Uint8Array(counts.buffer));
  }
}

function toLengths(keywords: KeywordFields): Uint8Array {
  return new Uint8Array(Uint32Array.from(FIELDS, (field) => keywords[field].length).buffer);
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
    deleteRows(database, "DELETE FROM chunk_vectors WHERE chunk_id = ?", gone.chunks);
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

/** Groups the staged postings by term, service and kind, and adds them to what is there. */
function packStaged(database: DatabaseSync): void {
  const existing = database.prepare("SELECT data FROM postings WHERE term = ? AND service = ? AND kind = ?");
  const write = database.prepare("INSERT OR REPLACE INTO postings (term, service, kind, data) VALUES (?, ?, ?, ?)");
  let key: readonly [string, string, number] | null = null;
  let group: Posting[] = [];
  const flush = () => {
    if (key === null) return;
    const before = existing.get(...key) as { data: Uint8Array } | undefined;
    const packed = packPostings(group);
    write.run(...key, before === undefined ? packed : appendPostings(before.data, packed));
    group = [];
  };
  const staged = database.prepare(
    "SELECT term, service, kind, id, counts FROM staged ORDER BY term, service, kind, id",
  );
  for (const row of staged.iterate()) {
    const next = [row["term"] as string, row["service"] as string, row["kind"] as number] as const;
    if (key?.[0] !== next[0] || key[1] !== next[1] || key[2] !== next[2]) {
      flush();
      key = next;
    }
    const counts = row["counts"] as Uint8Array;
    group.push({ id: row["id"] as number, counts: [...new Uint16Array(counts.slice().buffer)] });
  }
  flush();
  database.exec("DELETE FROM staged");
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

/** The lengths of all texts by id, and each chunk's runbook, in one piece each: an index opens at once. */
function writeLengthTables(database: DatabaseSync): void {
  const meta = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
  for (const table of ["chunks", "runbooks"] as const) {
    const lengths = new Uint32Array((highestId(database, table) + 1) * FIELDS.length);
    for (const row of database.prepare(`SELECT id, lengths FROM ${table}`).iterate()) {
      lengths.set(readLengths(row["lengths"]), (row["id"] as number) * FIELDS.length);
    }
    meta.run(`lengths_${table}`, new Uint8Array(lengths.buffer));
  }
  const runbookOf = new Uint32Array(highestId(database, "chunks") + 1);
  for (const row of database.prepare("SELECT id, runbook_id FROM chunks").iterate()) {
    runbookOf[row["id"] as number] = row["runbook_id"] as number;
  }
  meta.run("runbook_of_chunk", new Uint8Array(runbookOf.buffer));
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
