import { join } from "node:path";

import type { AccessPolicy } from "../src/access/access-policy.ts";
import { readAccessFile } from "../src/access/read-access-file.ts";
import type { Config } from "../src/config.ts";
import { ConfigurationError, PipelineError } from "../src/errors.ts";
import { indexRunbooks } from "../src/indexing/index-runbooks.ts";
import type { FileProblem, IndexingProgress, IndexingReport } from "../src/indexing/indexing-report.ts";
import { lockIndexing } from "../src/indexing/lock-indexing.ts";
import { loadRunbooks } from "../src/indexing/load-runbooks.ts";
import { createEmbeddingModel } from "../src/models/create-embedding-model.ts";
import { createPassageStore } from "../src/store/create-passage-store.ts";
import { openEmbeddingCache } from "../src/store/embedding-cache.ts";
import { EXIT_DONE, EXIT_FAILED, runCommand } from "./run-command.ts";
import { createProgressLine } from "./show-progress.ts";

await runCommand({
  help: `Usage: npm run reindex -- [--check] [--full] [--skip-bad] [--json]

Indexes every .md file below RUNBOOKS_DIR; the access file (ACCESS_FILE) says which service each belongs to.

  --check      only validate files and access file; embeds and writes nothing. Also warns of dead relative links,
               files without steps and services without runbooks
  --full       make everything anew, whatever is indexed already
  --skip-bad   publish the good files although some are bad
  --json       the report as JSON on stdout

Exit code: 0 published (or nothing to do), 1 a file is bad or the index can't be written, 2 wrong arguments or access file.
`,
  options: {
    check: { type: "boolean" },
    full: { type: "boolean" },
    "skip-bad": { type: "boolean" },
    json: { type: "boolean" },
  },
  async run(values, _positionals, config) {
    const policy = readPolicy(config.accessFile, values.check === true && values.json === true);
    if (values.check === true) {
      const { runbooks, failures, leftOut, ...found } = await loadRunbooks(config.runbooksDir, policy);
      const warnings = [...found.warnings, ...found.advice, ...findServicesWithoutRunbooks(config, policy, runbooks)];
      const report = { documents: { total: runbooks.length }, failures, warnings, left_out: leftOut };
      if (values.json === true) printJson({ published: false, complete: failures.length === 0, ...report });
      else printProblems({ failures, warnings }, `${runbooks.length} runbooks are good, ${failures.length} are bad`);
      return failures.length === 0 ? EXIT_DONE : EXIT_FAILED;
    }
    const unlock = lockIndexing(config.dataDir);
    try {
      const report = await reindex(config, policy, {
        full: values.full === true,
        skipBad: values["skip-bad"] === true,
      });
      if (values.json === true) printJson(toJson(report));
      else printProblems(report, describe(report));
      return report.published ? EXIT_DONE : EXIT_FAILED;
    } finally {
      unlock();
    }
  },
});

/** A validation as JSON says in JSON what is wrong with the access file too; the lines on stderr and the exit code stay. */
function readPolicy(accessFile: string, asJson: boolean): AccessPolicy {
  try {
    return readAccessFile(accessFile);
  } catch (error) {
    if (asJson && error instanceof ConfigurationError) {
      const failures = error.problems.map((problem): FileProblem => {
        const [, path = accessFile, line, reason = problem] = /^(.*?):(\d+): (.*)$/s.exec(problem) ?? [];
        return { path, line: line === undefined ? null : Number(line), reason };
      });
      const report = { documents: { total: 0 }, failures, warnings: [], left_out: [] };
      printJson({ published: false, complete: false, ...report });
    }
    throw error;
  }
}

function findServicesWithoutRunbooks(
  config: Config,
  policy: AccessPolicy,
  runbooks: readonly { readonly service: string }[],
): FileProblem[] {
  const used = new Set(runbooks.map(({ service }) => service));
  const idle = [...policy.services.keys()].filter((service) => !used.has(service));
  return idle.map((service) => ({
    path: config.accessFile,
    line: null,
    reason: `the service ${service} has no runbook; correct its globs, or remove it`,
  }));
}

async function reindex(
  config: Config,
  policy: AccessPolicy,
  options: { readonly full: boolean; readonly skipBad: boolean },
): Promise<IndexingReport> {
  const store = await createPassageStore(config);
  const embeddingModel = await createEmbeddingModel(config.models, stopWhenTold(config));
  const cache = openEmbeddingCache(join(config.dataDir, "embeddings.sqlite"), embeddingModel.info);
  const progress = createProgressLine();
  // A runbook's summary counts as a chunk of its own.
  const onProgress = ({ embedded, reused, expected, runbooks, toIndex }: IndexingProgress) =>
    progress.show({
      done: runbooks,
      of: toIndex,
      unit: "runbooks",
      work: { done: embedded, known: reused, expected, unit: "chunks" },
    });
  try {
    return await indexRunbooks({
      directory: config.runbooksDir,
      policy,
      store,
      embeddingModel,
      cache,
      ...options,
      onProgress,
    });
  } finally {
    progress.end();
    cache.close();
    await store.close();
  }
}

/**
 * Ctrl-C and SIGTERM end the wait for an embedding server in good order: nothing half-built stays. Without a server they
 * end the process, as always; the next run clears up.
 */
function stopWhenTold(config: Config): AbortSignal | undefined {
  if (config.models.embeddingModel === null) return undefined;
  const stop = new AbortController();
  const reason = "told to stop; what was embedded is kept, and the next run goes on from there";
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => stop.abort(new PipelineError("indexing", reason)));
  }
  return stop.signal;
}

function toJson(report: IndexingReport) {
  const { provider, name, dimensions } = report.model;
  return {
    published: report.published,
    complete: report.complete,
    index_version: report.indexVersion,
    model: { provider, name, dimensions },
    documents: report.documents,
    chunks: report.chunks,
    failures: report.failures,
    warnings: report.warnings,
    left_out: report.leftOut,
    duration_ms: report.durationMs,
  };
}

function describe({ published, documents, chunks, leftOut, failures, durationMs }: IndexingReport): string {
  if (!published) {
    return `nothing published: ${failures.length} bad files; correct them, or publish the others with --skip-bad`;
  }
  const changes = `${documents.added} added, ${documents.changed} changed, ${documents.removed} removed`;
  const work = `${chunks.embedded} texts embedded`;
  const seconds = (durationMs / 1000).toFixed(1);
  return `published ${documents.total} runbooks, ${chunks.total} chunks (${changes}, ${leftOut.length} left out; ${work}) in ${seconds} s`;
}

function printProblems(report: Pick<IndexingReport, "failures" | "warnings">, summary: string): void {
  for (const problem of report.failures) process.stderr.write(`${locate(problem)}: ${problem.reason}\n`);
  for (const problem of report.warnings) process.stderr.write(`${locate(problem)}: warning: ${problem.reason}\n`);
  process.stdout.write(`${summary}\n`);
}

function locate({ path, line }: FileProblem): string {
  return line === null ? path : `${path}:${line}`;
}

function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
