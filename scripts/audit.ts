import type { AuditLine } from "../src/audit/audit-line.ts";
import { readAudit } from "../src/audit/read-audit.ts";
import { EXIT_DONE, runCommand, usageError } from "./run-command.ts";

await runCommand({
  help: `Usage: npm run audit -- [--source ID] [--user USER] [--since DATE] [--json]

Who saw what: one line for each reply that was about to be posted, from DATA_DIR/audit.jsonl and its rotated files.

  --source ID   only replies that show this runbook (its path without .md)
  --user USER   only what this person asked (U…)
  --since DATE  only from this day (2026-11-01) or moment (ISO 8601, UTC) on
  --json        JSON lines on stdout, as they were written

Exit code: 0 done, 1 a file can't be read, 2 wrong arguments.
`,
  options: {
    source: { type: "string" },
    user: { type: "string" },
    since: { type: "string" },
    json: { type: "boolean" },
  },
  async run(values, positionals, config) {
    const [stray] = positionals;
    if (stray !== undefined) throw usageError(`${stray}: unexpected; see --help`);
    const question = {
      source: values.source?.replace(/\.md$/, "") ?? null,
      user: values.user ?? null,
      since: readMoment(values.since),
    };
    let broken = 0;
    let found = 0;
    for await (const line of readAudit(config.dataDir, question, () => (broken += 1))) {
      found += 1;
      process.stdout.write(values.json === true ? `${JSON.stringify(line)}\n` : describe(line));
    }
    if (broken > 0) process.stderr.write(`${broken} lines can't be read\n`);
    if (found === 0 && values.json !== true) process.stdout.write("nothing found\n");
    return EXIT_DONE;
  },
});

function readMoment(since: string | undefined): number {
  if (since === undefined) return 0;
  const isDate = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(since);
  const moment = isDate
    ? Date.parse(/T.*\d$/.test(since) && !/[+-]\d{2}:\d{2}$/.test(since) ? `${since}Z` : since)
    : NaN;
  if (Number.isNaN(moment)) throw usageError("--since takes a day (2026-11-01) or a moment (2026-11-01T14:05:00Z)");
  return moment;
}

function describe({ at, user, channel, kind, shown_to: shownTo, outcome, sources, policy, index }: AuditLine): string {
  const readers = shownTo === "everyone" ? `everyone in ${channel}` : `${user ?? "nobody"} alone in ${channel}`;
  const asker = user === null ? "an alert" : `${user} (${kind.replace("_", " ")})`;
  const what = sources.length === 0 ? outcome : sources.join(", ");
  return `${at}  ${readers}  asked by ${asker}: ${what}  [policy ${policy}, index ${index ?? "none"}]\n`;
}
