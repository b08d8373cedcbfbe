import { readFile } from "node:fs/promises";

import { z } from "zod";

import { readAccessFile } from "../src/access/read-access-file.ts";
import { createRetriever } from "../src/answering/retrieve-passages.ts";
import { createSearchRunbooks } from "../src/answering/search-runbooks.ts";
import { createAblations, createBaselines } from "../src/evaluation/baselines.ts";
import { compareOutcomes, type Places } from "../src/evaluation/compare-outcomes.ts";
import { evaluateQuestion, type QuestionOutcome } from "../src/evaluation/evaluate-questions.ts";
import { nameFailures } from "../src/evaluation/name-failures.ts";
import { readQuestions } from "../src/evaluation/read-questions.ts";
import { suggestGlossary } from "../src/evaluation/suggest-glossary.ts";
import { summariseOutcomes } from "../src/evaluation/summarise-outcomes.ts";
import { readIndexStatus } from "../src/indexing/read-index-status.ts";
import { createEmbeddingModel } from "../src/models/create-embedding-model.ts";
import { createPassageStore } from "../src/store/create-passage-store.ts";
import { describeComparison, describeGlossary, describeMiss, describeSummary } from "./describe-evaluation.ts";
import { comparisonJson, missJson, summaryJson } from "./evaluation-json.ts";
import { EXIT_DONE, EXIT_FAILED, runCommand, usageError } from "./run-command.ts";
import { createProgressLine } from "./show-progress.ts";

/** How far down the wanted runbook is looked for, to explain why it is not on top. */
const EXPLAINED = 200;

const EarlierRun = z.object({
  questions: z.array(z.object({ id: z.string(), hit_rank: z.number().nullable() })),
});

await runCommand({
  help: `Usage: npm run evaluate -- --questions FILE [--compare A.json] [--failures] [--explain] [--ablations]
                           [--suggest-glossary] [--json]

Asks the labelled questions of FILE (JSONL) against the published index and compares what is found with the labels:
hit@1, hit@3, MRR@10, nDCG@10 by kind and overall with 95 % intervals, beside three baselines; how often it rightly
answers and refuses; and leaks (must be 0).

  --compare A.json     against an earlier run's --json output: wins and losses by question, and whether they can be chance
  --failures           each question that went wrong: the failure's name, what was wanted, what came instead
  --explain            with the scores by part of the wanted and of the first runbook (implies --failures)
  --ablations          the ranking with each part of the score left out
  --suggest-glossary   entries for the access file's glossary, from the questions that went wrong; judge them yourself
  --json               everything as JSON on stdout

Exit code: 0 measured without a leak, 1 a leak or no index, 2 wrong arguments or questions.
`,
  options: {
    questions: { type: "string" },
    compare: { type: "string" },
    failures: { type: "boolean" },
    explain: { type: "boolean" },
    ablations: { type: "boolean" },
    "suggest-glossary": { type: "boolean" },
    json: { type: "boolean" },
  },
  async run(values, _positionals, config) {
    if (values.questions === undefined) throw usageError("--questions FILE is missing; see npm run evaluate -- --help");
    const questions = await readQuestions(values.questions);
    const earlier = values.compare === undefined ? null : await readPlaces(values.compare);
    const policy = readAccessFile(config.accessFile);
    const store = await createPassageStore(config);
    try {
      const embeddingModel = await createEmbeddingModel(config.models);
      const retrieve = createRetriever({ store, embeddingModel, policy: () => policy });
      const search = createSearchRunbooks({ store, embeddingModel, glossary: () => policy.glossary });
      const ablations = values.ablations === true ? createAblations(search) : [];
      const baselines = new Map([...createBaselines(search), ...ablations]);

      const progress = createProgressLine();
      const outcomes: QuestionOutcome[] = [];
      for (const question of questions) {
        outcomes.push(await evaluateQuestion(question, { policy, retrieve, baselines }));
        progress.show({ done: outcomes.length, of: questions.length, unit: "questions" });
      }
      progress.end();

      const summary = summariseOutcomes(outcomes);
      const comparison = earlier === null ? null : compareOutcomes(placesOf(outcomes), earlier);
      const wantsFailures = values.failures === true || values.explain === true;
      const status = await readIndexStatus(store, config.runbooksDir);
      const indexed = new Map((await store.listRunbooks()).map((runbook) => [runbook.sourceId, runbook]));
      const misses = nameFailures(outcomes, indexed, new Set(status.stale));
      const wantedOf = new Map<string, Awaited<ReturnType<typeof search>>["found"]["runbooks"][number]>();
      if (values.explain === true || values["suggest-glossary"] === true) {
        for (const { outcome } of misses) {
          const { found } = await search(outcome.query, outcome.allowed, { limit: EXPLAINED });
          const sourceIds = new Set(outcome.question.relevant.map((label) => label.split("#")[0]));
          const wanted = found.runbooks.find(({ runbook }) => sourceIds.has(runbook.sourceId));
          if (wanted !== undefined) wantedOf.set(outcome.question.id, wanted);
        }
      }
      const glossary = values["suggest-glossary"] === true ? suggestGlossary(misses, wantedOf) : null;

      if (values.json === true) {
        const report = {
          ...summaryJson(summary, outcomes),
          ...(comparison === null ? {} : { comparison: comparisonJson(comparison) }),
          ...(wantsFailures
            ? { failures: misses.map((miss) => missJson(miss, wantedOf, values.explain === true)) }
            : {}),
          ...(glossary === null ? {} : { glossary }),
        };
        process.stdout.write(`${JSON.stringify(report)}\n`);
      } else {
        const parts = [
          describeSummary(summary),
          ...(comparison === null ? [] : [describeComparison(comparison, values.compare ?? "")]),
          ...(wantsFailures ? misses.map((miss) => describeMiss(miss, wantedOf, values.explain === true)) : []),
          ...(glossary === null ? [] : [describeGlossary(glossary)]),
        ];
        process.stdout.write(`${parts.join("\n\n")}\n`);
      }
      return summary.leaks === 0 ? EXIT_DONE : EXIT_FAILED;
    } finally {
      await store.close();
    }
  },
});

async function readPlaces(path: string): Promise<Places> {
  try {
    const { questions } = EarlierRun.parse(JSON.parse(await readFile(path, "utf8")));
    return new Map(questions.map(({ id, hit_rank: place }) => [id, place]));
  } catch (error) {
    const reason = (error as NodeJS.ErrnoException).code ?? "is no output of npm run -s evaluate -- --json";
    throw usageError(`--compare ${path}: ${reason}`);
  }
}

function placesOf(outcomes: readonly QuestionOutcome[]): Places {
  const answerable = outcomes.filter((outcome) => outcome.answerable);
  return new Map(answerable.map(({ question, places }) => [question.id, places[0] ?? null]));
}
