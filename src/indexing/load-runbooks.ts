import type { AccessPolicy } from "../access/access-policy.ts";
import type { RunbookMetadata } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import type { FileProblem, LeftOut } from "./indexing-report.ts";
import { listRunbooks, type RunbookFile } from "./list-runbooks.ts";
import type { PublishedIndex } from "./plan-indexing.ts";
import { CHUNKER_VERSION } from "./split-runbook.ts";
import { createLoader, type LoadedRunbook, type LoadRunbook } from "./load-runbook.ts";

/** All files below a directory, read once; the texts are read again when they are needed, so that memory stays flat. */
export interface LoadedDirectory {
  readonly directory: string;
  readonly runbooks: readonly RunbookMetadata[];
  readonly files: ReadonlyMap<string, RunbookFile>;
  readonly load: LoadRunbook;
  readonly failures: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  readonly leftOut: readonly LeftOut[];
  /** What would make good files better; only `--check` tells. */
  readonly advice: readonly FileProblem[];
}

/**
 * Reads and checks every runbook of a directory.
 * @throws PipelineError `indexing` when there is nothing to index: that is a mistake, not an empty index.
 */
export async function loadRunbooks(
  directory: string,
  policy: AccessPolicy,
  published: PublishedIndex | null = null,
): Promise<LoadedDirectory> {
  const listing = await listRunbooks(directory);
  const { known, warningsOf } = readKnown(policy, published);
  const load = createLoader(policy, known);
  const runbooks: RunbookMetadata[] = [];
  const failures: FileProblem[] = [...listing.failures];
  const warnings: FileProblem[] = [];
  const leftOut: LeftOut[] = [];
  const advice: FileProblem[] = [];
  for (const file of listing.files) {
    const result = await load(file);
    switch (result.kind) {
      case "loaded":
        runbooks.push(result.runbook.document.metadata);
        warnings.push(...result.warnings);
        advice.push(...result.advice);
        break;
      case "unchanged":
        runbooks.push(result.metadata);
        warnings.push(...warningsOf(file.path));
        break;
      case "failed":
        failures.push(result.failure);
        break;
      case "left_out":
        leftOut.push(result.leftOut);
        break;
    }
  }
  if (runbooks.length === 0 && failures.length === 0) {
    throw new PipelineError("indexing", `no runbooks (.md) below ${directory}; set RUNBOOKS_DIR to your runbooks`);
  }
  failures.sort((left, right) => (left.path < right.path ? -1 : 1));
  const files = new Map(listing.files.map((file) => [file.sourceId, file]));
  return { directory, runbooks, files, load: createLoader(policy), failures, warnings, leftOut, advice };
}

/** What a published index says of unchanged files; nothing when another access file or chunker made it. */
function readKnown(policy: AccessPolicy, published: PublishedIndex | null) {
  const index = published?.index;
  const trusted = index?.policyVersion === policy.version && index.chunkerVersion === CHUNKER_VERSION;
  const warnings = Map.groupBy(trusted ? index.warnings : [], ({ path }) => path);
  return {
    known: new Map(trusted ? published?.runbooks.map((runbook) => [runbook.path, runbook]) : []),
    warningsOf: (path: string) => warnings.get(path) ?? [],
  };
}

/** The texts of some of the runbooks, one after the other. */
export async function* readRunbooks(
  { files, load }: LoadedDirectory,
  wanted: readonly RunbookMetadata[],
): AsyncGenerator<LoadedRunbook> {
  for (const { sourceId, path } of wanted) {
    const file = files.get(sourceId);
    const result = file === undefined ? null : await load(file);
    if (result?.kind !== "loaded") {
      throw new PipelineError("indexing", `${path}: changed while it was being indexed; run the command again`);
    }
    yield result.runbook;
  }
}
