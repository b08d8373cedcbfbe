import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";

import { PipelineError } from "../errors.ts";
import type { IndexVersion, PassageStore } from "../store/passage-store.ts";
import { listRunbooks } from "./list-runbooks.ts";

export interface IndexStatus {
  readonly index: IndexVersion;
  /** Since the index was made. */
  readonly ageMs: number;
  /** Indexed runbooks by service. */
  readonly services: ReadonlyMap<string, number>;
  /** Files whose text is another one now, files that are gone, and files that are not indexed. */
  readonly stale: readonly string[];
  readonly gone: readonly string[];
  readonly missing: readonly string[];
}

/**
 * The published index beside the files as they are now.
 * @throws PipelineError `freshness` when there is no index.
 */
export async function readIndexStatus(store: PassageStore, directory: string): Promise<IndexStatus> {
  const index = await store.currentIndex();
  if (index === null) throw new PipelineError("freshness", "there is no index yet; run: npm run reindex");
  const indexed = new Map((await store.listRunbooks()).map((runbook) => [runbook.path, runbook]));
  const { files } = await listRunbooks(directory);
  const known = new Set([...index.leftOut, ...index.failures].map(({ path }) => path));
  const stale: string[] = [];
  const missing: string[] = [];
  for (const { path, absolutePath } of files) {
    const runbook = indexed.get(path);
    if (runbook === undefined) {
      if (!known.has(path)) missing.push(path);
      continue;
    }
    // What can't be read now can't be what was indexed.
    const bytes = await readFile(absolutePath).catch(() => null);
    const hash = bytes === null ? null : createHash("sha256").update(bytes).digest("hex");
    if (hash !== runbook.contentHash) stale.push(path);
  }
  const present = new Set(files.map(({ path }) => path));
  const services = Map.groupBy(indexed.values(), ({ service }) => service);
  return {
    index,
    ageMs: Date.now() - Date.parse(index.indexedAt),
    services: new Map([...services].map(([service, runbooks]) => [service, runbooks.length])),
    stale,
    gone: [...indexed.keys()].filter((path) => !present.has(path)),
    missing,
  };
}
