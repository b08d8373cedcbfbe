import { statSync } from "node:fs";
import { join } from "node:path";

import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import MiniSearch from "minisearch";

import { allowServices } from "../../src/access/allowed-services.ts";
import type { IndexHeader, StoreQuery } from "../../src/store/passage-store.ts";
import { readQueryTerms } from "../../src/store/read-terms.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createRandom } from "../../src/evaluation/seeded-random.ts";
import { generateRunbooks, randomEmbedding, randomWords, SERVICES } from "./generate-runbooks.ts";
import { measure, type Row } from "./measure.ts";

const DIMENSIONS = 384;
const QUERIES = 60;

export const BENCH_HEADER: IndexHeader = {
  model: {
    provider: "local",
    name: "bench",
    dimensions: DIMENSIONS,
    prefixes: { query: "", document: "" },
    probe: [1],
  },
  chunkerVersion: "bench",
  policyVersion: "bench",
  serviceLabels: {},
  indexedAt: "2026-01-01T00:00:00.000Z",
  commit: null,
  complete: true,
  failures: [],
  warnings: [],
  leftOut: [],
};

/** The embedded store's hybrid search beside LangChain's memory store (vectors only) and MiniSearch (keywords only). */
export async function measureStore(directory: string, chunks: number): Promise<Row[]> {
  const path = join(directory, `store-${chunks}.sqlite`);
  const store = createSqlitePassageStore(path);
  const building = performance.now();
  await store.publish(BENCH_HEADER, new Set(), generateRunbooks(chunks, DIMENSIONS));
  const built = performance.now() - building;
  const opening = performance.now();
  await store.currentIndex();
  const opened = performance.now() - opening;

  const queries = createQueries();
  const query = (run: number) => queries[run % QUERIES] as StoreQuery & { text: string };
  const one = allowServices(["service-3"]);
  const all = allowServices(Array.from({ length: SERVICES }, (_, number) => `service-${number}`));

  const ours = await measure(QUERIES, (run) => store.search(query(run), one, 10));
  const oursAll = await measure(QUERIES, (run) => store.search(query(run), all, 10));
  // Only now: their heap would make the collector pause in our figures.
  const peers = await createPeers(chunks);
  const memory = await measure(QUERIES, (run) => peers.memory(query(run), "service-3"));
  const keywords = await measure(QUERIES, (run) => peers.keywords(query(run).text, "service-3"));
  await store.close();

  const size = `${(statSync(path).size / 1e6).toFixed(0)} MB, built in ${(built / 1000).toFixed(1)} s`;
  const label = `${chunks} chunks`;
  return [
    { what: `${label}: this store, hybrid, filter 5 %`, ...ours, note: size },
    { what: `${label}: this store, hybrid, every service`, ...oursAll, note: "" },
    {
      what: `${label}: MemoryVectorStore, filter 5 %`,
      ...memory,
      note: `vectors only; ${ratio(memory.p50, ours.p50)}`,
    },
    { what: `${label}: MiniSearch, filter 5 %`, ...keywords, note: `keywords only; ${ratio(keywords.p50, ours.p50)}` },
    { what: `${label}: opening the index`, p50: opened, p99: null, note: "" },
  ];
}

function ratio(peer: number, ours: number): string {
  return `${(peer / ours).toFixed(1)} x this store's time`;
}

function createQueries() {
  const random = createRandom(11);
  return Array.from({ length: QUERIES }, () => {
    const text = randomWords(random, 8);
    return {
      text,
      embedding: randomEmbedding(random, DIMENSIONS),
      terms: new Map(readQueryTerms(text).map((term) => [term, 1])),
    };
  });
}

async function createPeers(chunks: number) {
  const memory = new MemoryVectorStore({ embedQuery: async () => [], embedDocuments: async () => [] });
  const mini = new MiniSearch({ fields: ["title", "heading", "text"], storeFields: ["service"] });
  let id = 0;
  for await (const { chunks: parts } of generateRunbooks(chunks, DIMENSIONS)) {
    const documents = parts.map(({ chunk }) => ({ pageContent: chunk.text, metadata: { service: chunk.service } }));
    await memory.addVectors(
      parts.map(({ embedding }) => [...embedding]),
      documents,
    );
    mini.addAll(
      parts.map(({ chunk }) => ({
        id: id++,
        title: chunk.title,
        heading: chunk.headingTrail[0],
        text: chunk.text,
        service: chunk.service,
      })),
    );
  }
  return {
    memory: (query: StoreQuery, service: string) =>
      memory.similaritySearchVectorWithScore(
        [...query.embedding],
        10,
        (document) => document.metadata["service"] === service,
      ),
    keywords: (text: string, service: string) =>
      mini.search(text, { filter: (result) => result["service"] === service }).slice(0, 10),
  };
}
