import { readAccessFile } from "../src/access/read-access-file.ts";
import { createRetriever } from "../src/answering/retrieve-passages.ts";
import { evaluateQuestion, type QuestionOutcome } from "../src/evaluation/evaluate-questions.ts";
import { readQuestions } from "../src/evaluation/read-questions.ts";
import {
  summariseOutcomes,
  type EvaluationSummary,
  type RankingFigures,
} from "../src/evaluation/summarise-outcomes.ts";
import { createEmbeddingModel } from "../src/models/create-embedding-model.ts";
import { createPassageStore } from "../src/store/create-passage-store.ts";
import { EXIT_DONE, EXIT_FAILED, runCommand, usageError } from "./run-command.ts";
import { createProgressLine } from "./show-progress.ts";

await runCommand({
  help: `Usage: npm run evaluate -- --questions FILE [--json]

Asks the labelled questions of FILE (JSONL) against the published index and compares what is found with the labels:
hit@1, hit@3, MRR@10 by kind and overall, how often it rightly answers and refuses, and leaks (must be 0).

Exit code: 0 measured without a leak, 1 a leak or no index, 2 wrong arguments or questions.
`,
  options: { questions: { type: "string" }, json: { type: "boolean" } },
  async run(values, _positionals, config) {
    if (values.questions === undefined) throw usageError("--questions FILE is missing; see npm run evaluate -- --help");
    const questions = await readQuestions(values.questions);
    const policy = readAccessFile(config.accessFile);
    const store = await createPassageStore(config);
    const retrieve = createRetriever({
      store,
      embeddingModel: await createEmbeddingModel(config.models),
      policy: () => policy,
    });
    const progress = createProgressLine();
    const outcomes: QuestionOutcome[] = [];
    for (const question of questions) {
      outcomes.push(await evaluateQuestion(question, { policy, retrieve }));
      progress.show({ done: outcomes.length, of: questions.length, unit: "questions" });
    }
    progress.end();
    await store.close();
    const summary = summariseOutcomes(outcomes);
    process.stdout.write(values.json === true ? `${JSON.stringify(toJson(summary, outcomes))}\n` : describe(summary));
    return summary.leaks === 0 ? EXIT_DONE : EXIT_FAILED;
  },
});

function toJson(summary: EvaluationSummary, outcomes: readonly QuestionOutcome[]) {
  return {
    overall: figures(summary.overall),
    by_kind: Object.fromEntries([...summary.byKind].map(([kind, ofKind]) => [kind, figures(ofKind)])),
    refusal: {
      answerable_answered: summary.refusal.answerableAnswered,
      unanswerable_refused: summary.refusal.unanswerableRefused,
    },
    leaks: summary.leaks,
    questions: outcomes.map(({ id, ranked, refused, hitRank }) => ({ id, ranked, refused, hit_rank: hitRank })),
  };
}

function figures({ questions, hitAt1, hitAt3, mrrAt10 }: RankingFigures) {
  return { questions, hit_at_1: hitAt1, hit_at_3: hitAt3, mrr_at_10: mrrAt10 };
}

function describe({ overall, byKind, refusal, leaks }: EvaluationSummary): string {
  const rows = [...byKind, ["all answerable", overall] as const].map(
    ([kind, ofKind]) =>
      `${kind.padEnd(16)} ${String(ofKind.questions).padStart(9)}  ${percent(ofKind.hitAt1)}  ${percent(ofKind.hitAt3)}  ${ofKind.mrrAt10.toFixed(3)}`,
  );
  return [
    `${"kind".padEnd(16)} questions  hit@1  hit@3  MRR@10`,
    ...rows,
    `answerable questions answered ${percent(refusal.answerableAnswered)}, others refused ${percent(refusal.unanswerableRefused)}, leaks ${leaks}`,
    "",
  ].join("\n");
}

function percent(value: number): string {
  return `${(value * 100).toFixed(0)} %`.padStart(5);
}
