import { readIndexStatus, type IndexStatus } from "../src/indexing/read-index-status.ts";
import { createPassageStore } from "../src/store/create-passage-store.ts";
import { EXIT_DONE, runCommand } from "./run-command.ts";

await runCommand({
  help: `Usage: npm run index:status -- [--json]

The published index: its version, age, model, runbooks by service, what was left out or failed, and which files have changed,
gone or come since.

Exit code: 0 done, 1 no index.
`,
  options: { json: { type: "boolean" } },
  async run(values, _positionals, config) {
    const store = await createPassageStore(config);
    try {
      const status = await readIndexStatus(store, config.runbooksDir);
      process.stdout.write(values.json === true ? `${JSON.stringify(toJson(status))}\n` : describe(status));
      return EXIT_DONE;
    } finally {
      await store.close();
    }
  },
});

function toJson({ index, ageMs, services, stale, gone, missing }: IndexStatus) {
  const { provider, name, dimensions } = index.model;
  return {
    version: index.version,
    indexed_at: index.indexedAt,
    age_ms: ageMs,
    commit: index.commit,
    model: { provider, name, dimensions },
    complete: index.complete,
    documents: index.documents,
    chunks: index.chunks,
    services: Object.fromEntries(services),
    stale,
    gone,
    missing,
    left_out: index.leftOut,
    failures: index.failures,
    warnings: index.warnings.length,
  };
}

function describe({ index, ageMs, services, stale, gone, missing }: IndexStatus): string {
  const list = (title: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`${title}:`, ...paths.map((path) => `  ${path}`)];
  const names = [...services].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return [
    `version    ${index.version}${index.complete ? "" : " (incomplete: bad files were skipped)"}`,
    `made       ${index.indexedAt}, ${describeAge(ageMs)} ago${index.commit === null ? "" : `, commit ${index.commit.slice(0, 12)}`}`,
    `model      ${index.model.name}, ${index.model.dimensions} dimensions, ${index.model.provider}`,
    `content    ${index.documents} runbooks, ${index.chunks} chunks, ${index.leftOut.length} left out, ${index.failures.length} failed, ${index.warnings.length} warnings`,
    ...names.map(([service, runbooks]) => `  ${service.padEnd(30)} ${runbooks}`),
    ...list("changed since (npm run reindex)", stale),
    ...list("gone since", gone),
    ...list("not indexed yet", missing),
    ...list(
      "left out",
      index.leftOut.map(({ path, reason }) => `${path}: ${reason}`),
    ),
    ...list(
      "failed",
      index.failures.map(({ path, line, reason }) => `${path}${line === null ? "" : `:${line}`}: ${reason}`),
    ),
    "",
  ].join("\n");
}

function describeAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}
