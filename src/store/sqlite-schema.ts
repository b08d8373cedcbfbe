import { DatabaseSync } from "node:sqlite";

import { z } from "zod";

import type { Chunk, RunbookMetadata } from "../domain.ts";

/** Changes whenever the tables do: an index with another number is rebuilt, never read. */
export const SCHEMA_VERSION = 2;

export const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE runbooks (
    id INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE, service TEXT NOT NULL, metadata TEXT NOT NULL,
    lengths BLOB NOT NULL, first_chunk INTEGER NOT NULL, chunk_count INTEGER NOT NULL,
    -- 32-bit floats: the summary's vector, then each chunk's. Last, so that reading the others does not pass over it.
    vectors BLOB NOT NULL
  );
  CREATE INDEX runbooks_by_service ON runbooks (service);
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, runbook_id INTEGER NOT NULL, service TEXT NOT NULL, heading_trail TEXT NOT NULL,
    start_index INTEGER NOT NULL, start_line INTEGER NOT NULL, text TEXT NOT NULL, lengths BLOB NOT NULL
  );
  CREATE INDEX chunks_by_runbook ON chunks (runbook_id);
  -- One row per term and service: its texts, packed (see pack-postings.ts). kind 0: chunks, 1: whole runbooks.
  CREATE TABLE postings (
    term TEXT NOT NULL, service TEXT NOT NULL, kind INTEGER NOT NULL, data BLOB NOT NULL,
    PRIMARY KEY (term, service, kind)
  ) WITHOUT ROWID;
  -- Counts and summed field lengths, so that statistics are those of the allowed services.
  CREATE TABLE service_statistics (
    service TEXT NOT NULL, kind INTEGER NOT NULL, texts INTEGER NOT NULL,
    title INTEGER NOT NULL, headings INTEGER NOT NULL, path INTEGER NOT NULL, service_terms INTEGER NOT NULL,
    body INTEGER NOT NULL, PRIMARY KEY (service, kind)
  ) WITHOUT ROWID;
`;

export const KIND_CHUNK = 0;
export const KIND_RUNBOOK = 1;

export const ChunkRow = z.object({
  id: z.number(),
  metadata: z.string(),
  heading_trail: z.string(),
  start_index: z.number(),
  start_line: z.number(),
  text: z.string(),
});

export function toChunk(row: z.infer<typeof ChunkRow>): Chunk {
  const { sourceId, title, service, path } = JSON.parse(row.metadata) as RunbookMetadata;
  return {
    sourceId,
    title,
    service,
    path,
    headingTrail: JSON.parse(row.heading_trail) as string[],
    startIndex: row.start_index,
    startLine: row.start_line,
    text: row.text,
  };
}

export function openIndexFile(path: string, options: { readonly readOnly: boolean }): DatabaseSync {
  return new DatabaseSync(path, { readOnly: options.readOnly, timeout: 5000 });
}
