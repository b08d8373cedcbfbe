import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readAccessFile } from "../src/access/read-access-file.ts";
import { indexRunbooks } from "../src/indexing/index-runbooks.ts";
import { createEmbeddingModel } from "../src/models/create-embedding-model.ts";
import { openEmbeddingCache } from "../src/store/embedding-cache.ts";
import { createSqlitePassageStore } from "../src/store/sqlite-passage-store.ts";
import { measureAccess } from "./bench/measure-access.ts";
import { measureAnswers } from "./bench/measure-answers.ts";
import { measureCollection } from "./bench/measure-collection.ts";
import { measureAcks } from "./bench/measure-slack.ts";
import { measureStart } from "./bench/measure-start.ts";
import { measureStore } from "./bench/measure-store.ts";
import { printRows } from "./bench/measure.ts";
import { EXIT_DONE, runCommand, usageError } from "./run-command.ts";

await runCommand({
  help: `Usage: npm run bench -- [--chunks 1000,10000,100000]

Speed and memory, on made-up and on the sample runbooks, beside peers in the same run: @lat.md/embed, LangChain's
MemoryVectorStore, MiniSearch, plain hashing, the package yaml.

  --chunks LIST   sizes of the store to measure, with commas between (default 1000,10000,100000, which takes some minutes)
`,
  options: { chunks: { type: "string", default: "1000,10000,100000" } },
  async run(values, _positionals, config) {
    const sizes = values.chunks.split(",").map(Number);
    if (!sizes.every((size) => Number.isInteger(size) && size > 0))
      throw usageError("--chunks takes numbers, as in 1000,10000");
    const directory = mkdtempSync(join(tmpdir(), "runbook-bench-"));
    const store = createSqlitePassageStore(join(directory, "index.sqlite"));
    try {
      printRows("Access, 5000 services, 500 groups, 20000 users", await measureAccess());
      const embeddingModel = await createEmbeddingModel({ ...config.models, embeddingModel: null });
      printRows("Indexing (npm run reindex)", await measureCollection(directory));
      const policy = readAccessFile("access.yaml");
      const cache = openEmbeddingCache(join(directory, "embeddings.sqlite"), embeddingModel.info);
      await indexRunbooks({ directory: "runbooks", policy, store, embeddingModel, cache, full: false, skipBad: false });
      cache.close();
      printRows("Slack", await measureAcks(directory, { policy, store, embeddingModel }));
      printRows("Answers", await measureAnswers(directory, embeddingModel));
      printRows("Start", await measureStart(directory));
      for (const size of sizes) printRows(`Store, ${size} chunks in 20 services`, await measureStore(directory, size));
      return EXIT_DONE;
    } finally {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
  },
});
