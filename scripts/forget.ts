import { existsSync } from "node:fs";
import { join } from "node:path";

import { USER_ID } from "../src/access/access-file-schema.ts";
import { forgetFeedback } from "../src/feedback/write-feedback.ts";
import { openState } from "../src/store/open-state.ts";
import { EXIT_DONE, runCommand, usageError } from "./run-command.ts";

await runCommand({
  help: `Usage: npm run forget -- --user USER [--json]

Erases a person from what the bot remembers: the questions of threads, open and answered questions, and ratings (theirs, and
those of their questions). The bot may run meanwhile. The audit trail (ids, no words) is kept by its own rule, AUDIT_KEEP_DAYS;
what stands in Slack is Slack's.

  --user USER  whom (U…)
  --json       one JSON object on stdout

Exit code: 0 done, 1 failed, 2 wrong arguments.
`,
  options: { user: { type: "string" }, json: { type: "boolean" } },
  async run({ user, json }, _positionals, { dataDir }) {
    if (user === undefined || !USER_ID.test(user)) throw usageError("--user takes a Slack user id (U… or W…)");
    const erased = {
      ...forgetState(join(dataDir, "state.sqlite"), user),
      feedback: await forgetFeedback(dataDir, user),
    };
    const lines = Object.entries(erased).map(([what, rows]) => `${what}: ${rows}`);
    process.stdout.write(json === true ? `${JSON.stringify({ user, erased })}\n` : `erased ${lines.join(", ")}\n`);
    return EXIT_DONE;
  },
});

function forgetState(path: string, user: string) {
  if (!existsSync(path)) return { conversations: 0, choices: 0, answers: 0, outbox: 0 };
  const state = openState(path);
  try {
    return state.forget(user);
  } finally {
    state.close();
  }
}
