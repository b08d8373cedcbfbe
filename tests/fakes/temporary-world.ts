import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { onTestFinished } from "vitest";

import type { AccessPolicy } from "../../src/access/access-policy.ts";
import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { indexRunbooks, type IndexingRequest } from "../../src/indexing/index-runbooks.ts";
import type { IndexingReport } from "../../src/indexing/indexing-report.ts";
import type { EmbeddingModel } from "../../src/models/embedding-model.ts";
import { openEmbeddingCache } from "../../src/store/embedding-cache.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createFakeEmbeddingModel } from "./fake-embedding-model.ts";

/** A directory that goes with the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "runbook-bot-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function writeFiles(directory: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), content);
  }
}

export interface World {
  readonly directory: string;
  readonly runbooksDir: string;
  readonly indexPath: string;
  readonly policy: AccessPolicy;
  readonly store: PassageStore;
  readonly embeddingModel: EmbeddingModel;
  index(options?: Partial<IndexingRequest>): Promise<IndexingReport>;
}

/** Runbooks, access file and an embedded store in a directory of their own; nothing is indexed yet. */
export async function createWorld(world: {
  readonly runbooks: Readonly<Record<string, string | Uint8Array>>;
  readonly access: string;
  readonly embeddingModel?: EmbeddingModel;
  /** Left out: the embedded store. */
  readonly store?: PassageStore;
}): Promise<World> {
  const directory = temporaryDirectory();
  const runbooksDir = join(directory, "runbooks");
  mkdirSync(runbooksDir, { recursive: true });
  writeFiles(runbooksDir, world.runbooks);
  const policy = parseAccessFile(world.access, "access.yaml");
  const embeddingModel = world.embeddingModel ?? (await createFakeEmbeddingModel());
  const indexPath = join(directory, "data", "index.sqlite");
  const store = world.store ?? createSqlitePassageStore(indexPath);
  onTestFinished(() => store.close());
  return {
    directory,
    runbooksDir,
    indexPath,
    policy,
    store,
    embeddingModel,
    async index(options = {}) {
      const model = options.embeddingModel ?? embeddingModel;
      const cache = openEmbeddingCache(join(directory, "data", "embeddings.sqlite"), model.info);
      try {
        return await indexRunbooks({
          directory: runbooksDir,
          policy,
          store,
          embeddingModel: model,
          cache,
          full: false,
          skipBad: false,
          ...options,
        });
      } finally {
        cache.close();
      }
    },
  };
}
