import { DatabaseSync } from "node:sqlite";

import * as sqliteVec from "sqlite-vec";

/** Changes whenever the tables do: an index with another number is rebuilt, never read. */
export const SCHEMA_VERSION = 1;

export const SCHEMA = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
  CREATE TABLE runbooks (
    id INTEGER PRIMARY KEY, source_id TEXT NOT NULL UNIQUE, service TEXT NOT NULL, metadata TEXT NOT NULL,
    summary BLOB NOT NULL, lengths BLOB NOT NULL
  );
  CREATE INDEX runbooks_by_service ON runbooks (service);
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, runbook_id INTEGER NOT NULL, service TEXT NOT NULL, heading_trail TEXT NOT NULL,
    start_index INTEGER NOT NULL, start_line INTEGER NOT NULL, text TEXT NOT NULL, lengths BLOB NOT NULL
  );
  CREATE INDEX chunks_by_runbook ON chunks (runbook_id);
  CREATE TABLE chunk_vectors (
    chunk_id INTEGER PRIMARY KEY, service TEXT NOT NULL, embedding BLOB NOT NULL
  );
  CREATE INDEX chunk_vectors_by_service ON chunk_vectors (service);
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

export function openIndexFile(path: string, options: { readonly readOnly: boolean }): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: options.readOnly, allowExtension: true, timeout: 5000 });
  sqliteVec.load(database);
  database.enableLoadExtension(false);
  return database;
}
