import { join } from "node:path";

import { allowServices } from "../../src/access/allowed-services.ts";
import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { createAnswering } from "../../src/create-answering.ts";
import type { EmbeddingModel } from "../../src/models/embedding-model.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createRandom } from "../../src/evaluation/seeded-random.ts";
import { generateRunbooks, randomWords, SERVICES } from "./generate-runbooks.ts";
import { measure, type Row } from "./measure.ts";
import { BENCH_HEADER } from "./measure-store.ts";

const CHUNKS = 1000;
const QUESTIONS = 100;

/** Whole answers without a chat model: classify, embed, search, quote, check. */
export async function measureAnswers(directory: string, embeddingModel: EmbeddingModel): Promise<Row[]> {
  const names = Array.from({ length: SERVICES }, (_, number) => `service-${number}`);
  const services = Object.fromEntries(
    names.map((name) => [name, { owner: "team", runbooks: [`${name}/*.md`], readers: ["team"] }]),
  );
  const policy = parseAccessFile(JSON.stringify({ services, groups: { team: { members: ["U0BENCH"] } } }), "bench");
  const store = createSqlitePassageStore(join(directory, "answers.sqlite"));
  const { dimensions } = embeddingModel.info;
  await store.publish({ ...BENCH_HEADER, model: embeddingModel.info }, new Set(), generateRunbooks(CHUNKS, dimensions));
  const answer = createAnswering({ policy: () => policy, store, embeddingModel, chat: null, modelBudgetMs: 8000 });
  const allowed = allowServices(names);
  const random = createRandom(3);
  const asked = Array.from(
    { length: QUESTIONS },
    () => `service-${Math.floor(random() * SERVICES)} fails: ${randomWords(random, 8)}`,
  );

  const figures = await measure(QUESTIONS, (run) =>
    answer({ text: asked[run % QUESTIONS] ?? "", thread: [] }, { shared: allowed, caller: allowed }),
  );
  await store.close();
  return [
    { what: `whole answer without a chat model, ${CHUNKS} chunks`, ...figures, note: "goal: p50 < 150, p99 < 500" },
  ];
}
