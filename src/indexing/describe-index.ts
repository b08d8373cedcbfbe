import { execFile } from "node:child_process";
import { promisify } from "node:util";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { EmbeddingModelInfo, IndexHeader } from "../store/passage-store.ts";
import type { LoadedDirectory } from "./load-runbooks.ts";
import { serviceLabels } from "./plan-indexing.ts";
import { CHUNKER_VERSION } from "./split-runbook.ts";

/** What the new index says of itself. */
export async function describeIndex({
  loaded,
  policy,
  model,
}: {
  readonly loaded: LoadedDirectory;
  readonly policy: AccessPolicy;
  readonly model: EmbeddingModelInfo;
}): Promise<IndexHeader> {
  return {
    model,
    chunkerVersion: CHUNKER_VERSION,
    policyVersion: policy.version,
    serviceLabels: serviceLabels(policy),
    indexedAt: new Date().toISOString(),
    commit: await readCommit(loaded.directory),
    complete: loaded.failures.length === 0,
    failures: loaded.failures,
    warnings: loaded.warnings,
    leftOut: loaded.leftOut,
  };
}

/** The commit of the git work tree around a directory, or null where there is none. */
async function readCommit(directory: string): Promise<string | null> {
  try {
    const { stdout } = await promisify(execFile)("git", ["-C", directory, "rev-parse", "HEAD"], { timeout: 5000 });
    return /^[0-9a-f]{40,64}$/.test(stdout.trim()) ? stdout.trim() : null;
  } catch {
    return null;
  }
}
