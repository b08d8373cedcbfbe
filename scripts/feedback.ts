import type { FeedbackLine } from "../src/feedback/feedback-line.ts";
import { readFeedback, toQuestions } from "../src/feedback/read-feedback.ts";
import { EXIT_DONE, runCommand } from "./run-command.ts";

await runCommand({
  help: `Usage: npm run feedback -- [--as-questions] [--json]

What people said of the answers, from DATA_DIR/feedback.jsonl; the last word of each person counts.

  --as-questions  the answers that everybody liked as labelled questions, for: npm run evaluate -- --questions FILE
  --json          JSON lines on stdout

Exit code: 0 done, 1 the file can't be read, 2 wrong arguments.
`,
  options: { "as-questions": { type: "boolean" }, json: { type: "boolean" } },
  async run(values, _positionals, config) {
    let broken = 0;
    const ratings = await readFeedback(config.dataDir, () => (broken += 1));
    if (broken > 0) process.stderr.write(`${broken} lines can't be read\n`);
    if (values["as-questions"] === true) {
      const questions = toQuestions(ratings);
      const disliked = new Set(ratings.filter(({ rating }) => rating === "down").map(({ answer_id: id }) => id));
      if (disliked.size > 0)
        process.stderr.write(`${disliked.size} disliked answers need a label by hand; see --json\n`);
      for (const question of questions) process.stdout.write(`${JSON.stringify(question)}\n`);
    } else if (values.json === true) {
      for (const rating of ratings) process.stdout.write(`${JSON.stringify(rating)}\n`);
    } else process.stdout.write(describe(ratings));
    return EXIT_DONE;
  },
});

function describe(ratings: readonly FeedbackLine[]): string {
  if (ratings.length === 0) return "nothing yet\n";
  const good = ratings.filter(({ rating }) => rating === "up").length;
  const bad = ratings.filter(({ rating }) => rating === "down");
  return [
    `${ratings.length} ratings: ${good} good, ${bad.length} bad`,
    ...bad.map(
      ({ at, reason, sources, text }) =>
        `${at.slice(0, 10)}  ${(reason ?? "no reason").padEnd(14)} ${sources.join(", ")}: ${text.replace(/\s+/g, " ").slice(0, 100)}`,
    ),
    "",
  ].join("\n");
}
