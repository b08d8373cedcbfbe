import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";

import { PipelineError } from "../errors.ts";
import { cannotWrite } from "./cannot-write.ts";
import { isProcessAlive } from "./is-process-alive.ts";
import type { PassageStore, SearchResult } from "./passage-store.ts";
import { createIndexReader, type IndexReader } from "./sqlite-index-reader.ts";
import { createIndexWriter, createSchema } from "./sqlite-index-writer.ts";
import { openIndexFile } from "./sqlite-schema.ts";

/** How long a search may go on using an index after a newer one was published. */
const RECHECK_MS = 1000;

/**
 * The embedded store: one SQLite file per published index at `path`. A new index is built in a file beside it and renamed
 * over it, so that readers see the old one or the new one whole; a killed run leaves the old one in place.
 */
export function createSqlitePassageStore(path: string): PassageStore {
  let reader: { readonly index: IndexReader; readonly file: string } | null = null;
  let checkedAt = 0;

  /** The published index, opened anew when the file is another one. */
  function current(): IndexReader | null {
    if (reader !== null && Date.now() - checkedAt < RECHECK_MS) return reader.index;
    checkedAt = Date.now();
    const file = identifyFile(path);
    if (file === null) return null;
    if (reader?.file !== file) {
      const index = openReader(path);
      reader?.index.close();
      reader = { index, file };
    }
    return reader.index;
  }

  function needCurrent(): IndexReader {
    const index = current();
    if (index === null) throw new PipelineError("freshness", `there is no index at ${path}; run: npm run reindex`);
    return index;
  }

  return {
    currentIndex: async () => {
      checkedAt = 0;
      return current()?.version ?? null;
    },
    search: async (query, allowedServices, limit) =>
      allowedServices.size === 0 ? nothing() : needCurrent().search(query, allowedServices, limit),
    findRunbooks: async (sourceIds, allowedServices) =>
      allowedServices.size === 0 ? [] : needCurrent().findRunbooks(sourceIds, allowedServices),
    chunksOf: async (sourceId, allowedServices) =>
      allowedServices.size === 0 ? [] : needCurrent().chunksOf(sourceId, allowedServices),
    listRunbooks: async () => {
      checkedAt = 0;
      return current()?.listRunbooks() ?? [];
    },
    async publish(header, kept, changed) {
      const building = `${path}.building-${process.pid}-${randomBytes(4).toString("hex")}`;
      try {
        mkdirSync(dirname(path), { recursive: true });
        removeAbandoned(path);
        if (kept.size > 0) copyFileSync(path, building, constants.COPYFILE_FICLONE);
        const database = openIndexFile(building, { readOnly: false });
        let counts;
        const version = `${header.indexedAt.replace(/[-:]|\.\d+/g, "")}-${randomBytes(4).toString("hex")}`;
        try {
          if (kept.size === 0) createSchema(database);
          const writer = createIndexWriter(database);
          if (kept.size > 0) writer.keepOnly(kept);
          for await (const runbook of changed) writer.add(runbook);
          counts = writer.finish(header, version);
        } finally {
          database.close();
        }
        syncFile(building);
        renameSync(building, path);
        syncFile(dirname(path));
        checkedAt = 0;
        return { ...header, version, ...counts };
      } catch (cause) {
        if (cause instanceof PipelineError) throw cause;
        throw cannotWrite(`the index at ${path}`, cause, "; the last one is still in place");
      } finally {
        removeFile(building);
      }
    },
    close: async () => {
      reader?.index.close();
      reader = null;
    },
  };
}

function nothing(): SearchResult {
  return { runbooks: [], termIdf: new Map(), indexVersion: "" };
}

/** Which file stands at the path now: a rename puts another inode there. */
function identifyFile(path: string): string | null {
  if (!existsSync(path)) return null;
  const { ino, mtimeMs, size } = statSync(path);
  return `${ino}:${mtimeMs}:${size}`;
}

function openReader(path: string): IndexReader {
  let database;
  try {
    database = openIndexFile(path, { readOnly: true });
    return createIndexReader(database);
  } catch (cause) {
    database?.close();
    if (cause instanceof PipelineError) throw cause;
    const message = `the index at ${path} can't be read (${describe(cause)}); run: npm run reindex -- --full`;
    throw new PipelineError("freshness", message, { cause });
  }
}

/** Half-built files of runs that are no more. */
function removeAbandoned(path: string): void {
  for (const name of readdirSync(dirname(path))) {
    const pid = name.startsWith(`${basename(path)}.building-`) ? /building-(\d+)-/.exec(name)?.[1] : undefined;
    if (pid !== undefined && !isProcessAlive(Number(pid))) removeFile(join(dirname(path), name));
  }
}

function removeFile(path: string): void {
  rmSync(path, { force: true });
  rmSync(`${path}-journal`, { force: true });
}

function syncFile(path: string): void {
  const file = openSync(path, "r");
  fsyncSync(file);
  closeSync(file);
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
