import type { DatabaseSync } from "node:sqlite";

import type { AllowedServices } from "../access/allowed-services.ts";
import type { Chunk, RunbookMetadata } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import type { IndexHeader, IndexVersion, SearchResult, StoreQuery } from "./passage-store.ts";
import type { TextLengths } from "./score-keywords.ts";
import { ChunkRow, SCHEMA_VERSION, toChunk } from "./sqlite-schema.ts";
import { createSqliteSearch } from "./sqlite-search.ts";

/** One published index file, open for reading; it stays readable after a newer one has taken its place. */
export interface IndexReader {
  readonly version: IndexVersion;
  search(query: StoreQuery, allowedServices: AllowedServices, limit: number): SearchResult;
  findRunbooks(sourceIds: readonly string[], allowedServices: AllowedServices): RunbookMetadata[];
  chunksOf(sourceId: string, allowedServices: AllowedServices): Chunk[];
  listRunbooks(): RunbookMetadata[];
  close(): void;
}

/** @throws PipelineError `freshness` when the file is no complete index of this version of the bot. */
export function createIndexReader(database: DatabaseSync): IndexReader {
  const meta = (key: string) => database.prepare("SELECT value FROM meta WHERE key = ?").get(key)?.["value"];
  if (meta("schema") !== SCHEMA_VERSION) {
    throw new PipelineError("freshness", "the index was made by another version; run: npm run reindex -- --full");
  }
  const header = JSON.parse(meta("header") as string) as IndexHeader;
  const count = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"] as number;
  const version = {
    ...header,
    version: meta("version") as string,
    documents: count("runbooks"),
    chunks: count("chunks"),
  };
  const lengths: TextLengths = {
    chunks: toNumbers(meta("lengths_chunks")),
    runbooks: toNumbers(meta("lengths_runbooks")),
  };

  const search = createSqliteSearch(database, header.model.dimensions, lengths);
  const selectChunksOf = database.prepare(`
    SELECT chunks.id, metadata, heading_trail, start_index, start_line, text
    FROM chunks JOIN runbooks ON runbooks.id = chunks.runbook_id
    WHERE source_id = ?1 AND runbooks.service IN (SELECT value FROM json_each(?2)) ORDER BY start_index`);
  const selectRunbooks = database.prepare(`
    SELECT metadata FROM runbooks
    WHERE source_id IN (SELECT value FROM json_each(?1)) AND service IN (SELECT value FROM json_each(?2))
    ORDER BY source_id`);

  return {
    version,
    search(query, allowedServices, limit) {
      if (query.embedding.length !== version.model.dimensions) {
        const widths = `${query.embedding.length} numbers, the index's ${version.model.dimensions}`;
        throw new PipelineError("freshness", `the question's embedding has ${widths}; run: npm run reindex`);
      }
      return { ...search(query, allowedServices, limit), indexVersion: version.version };
    },
    findRunbooks: (sourceIds, allowedServices) =>
      selectRunbooks
        .all(JSON.stringify(sourceIds), JSON.stringify([...allowedServices]))
        .map((row) => JSON.parse(row["metadata"] as string) as RunbookMetadata),
    chunksOf: (sourceId, allowedServices) =>
      selectChunksOf.all(sourceId, JSON.stringify([...allowedServices])).map((row) => toChunk(ChunkRow.parse(row))),
    listRunbooks: () =>
      database
        .prepare("SELECT metadata FROM runbooks ORDER BY source_id")
        .all()
        .map((row) => JSON.parse(row["metadata"] as string) as RunbookMetadata),
    close: () => database.close(),
  };
}

function toNumbers(value: unknown): Uint32Array {
  return new Uint32Array((value as Uint8Array).slice().buffer);
}
