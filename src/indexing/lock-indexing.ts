import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import { z } from "zod";

import { PipelineError } from "../errors.ts";
import { cannotWrite } from "../store/cannot-write.ts";
import { isProcessAlive } from "../store/is-process-alive.ts";

const Holder = z.object({ pid: z.number(), host: z.string(), since: z.string() });

/**
 * Lets one reindexer at a time into a data directory. A lock of a process of this machine that is no more is taken over.
 * Gives the function that unlocks.
 * @throws PipelineError `indexing` naming who holds the lock, or why it can't be written.
 */
export function lockIndexing(dataDir: string): () => void {
  const path = join(dataDir, "reindex.lock");
  for (let attempt = 1; ; attempt += 1) {
    try {
      mkdirSync(dataDir, { recursive: true });
      writeHolder(path);
      return () => rmSync(path, { force: true });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw cannotWrite(dataDir, error);
      const holder = readHolder(path);
      // A lock without a readable holder was cut off while it was written.
      const isStale = holder === null || (holder.host === hostname() && !isProcessAlive(holder.pid));
      if (!isStale || attempt > 2) {
        const who = holder === null ? "somebody" : `process ${holder.pid} on ${holder.host}, since ${holder.since}`;
        throw new PipelineError(
          "indexing",
          `another reindex is running (${who}); wait for it, or delete ${path} if it is gone`,
        );
      }
      rmSync(path, { force: true });
    }
  }
}

function writeHolder(path: string): void {
  const file = openSync(path, "wx");
  try {
    writeSync(file, JSON.stringify({ pid: process.pid, host: hostname(), since: new Date().toISOString() }));
  } catch (error) {
    // A full disk takes the name and not the content.
    rmSync(path, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

function readHolder(path: string): z.infer<typeof Holder> | null {
  try {
    return Holder.parse(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return null;
  }
}
