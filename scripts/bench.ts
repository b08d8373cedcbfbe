import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { createEmbeddingModel } from "../src/models/create-embedding-model.ts";
import { measureAnswers } from "./bench/measure-answers.ts";
import { measureIndexing } from "./bench/measure-indexing.ts";
import { printRows } from "./bench/measure.ts";
import { measureStore } from "./bench/measure-store.ts";
import { EXIT_DONE, runCommand } from "./run-command.ts";

await runCommand({
  help: `Usage: npm run bench -- [--chunks 1000,10000]

Speed and memory on made-up runbooks, beside LangChain's MemoryVectorStore and MiniSearch in the same run.

  --chunks LIST   sizes of the store to measure, with commas between (default 1000,10000; 100000 takes some minutes)
`,
  options: { chunks: { type: "string", default: "1000,10000" } },
  async run(values, _positionals, config) {
    const directory = mkdtempSync(join(tmpdir(), "runbook-bench-"));
    try {
      for (const chunks of values.chunks.split(",").map(Number)) {
        printRows(`Store, ${chunks} chunks in 20 services`, await measureStore(directory, chunks));
      }
      const embeddingModel = await createEmbeddingModel(config.models);
      printRows("Answers", await measureAnswers(directory, embeddingModel));
      printRows("Indexing", await measureIndexing(directory, embeddingModel));
      process.stdout.write(`\nMemory of this process: ${(process.memoryUsage().rss / 1e6).toFixed(0)} MB\n`);
      return EXIT_DONE;
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
});
