import { readKeywordFields } from "../../src/store/keyword-fields.ts";
import type { IndexedRunbook, IndexHeader, StoreQuery } from "../../src/store/passage-store.ts";
import { readQueryTerms } from "../../src/store/read-terms.ts";
import { createFakeEmbeddingModel } from "./fake-embedding-model.ts";

const model = await createFakeEmbeddingModel();

export const exampleHeader: IndexHeader = {
  model: model.info,
  chunkerVersion: "1",
  policyVersion: "1",
  serviceLabels: {},
  indexedAt: "2026-01-02T03:04:05.678Z",
  commit: null,
  complete: true,
  failures: [],
  warnings: [],
  leftOut: [],
};

/** An indexed runbook of one chunk per text; state only what matters. */
export async function exampleRunbook({
  sourceId,
  service = "checkout",
  title = sourceId,
  texts,
}: {
  readonly sourceId: string;
  readonly service?: string;
  readonly title?: string;
  readonly texts: readonly string[];
}): Promise<IndexedRunbook> {
  const path = `${sourceId}.md`;
  const runbook = { sourceId, path, title, service, contentHash: "0", owner: null, lastReviewed: null };
  const [summaryEmbedding, ...embeddings] = await model.embedDocuments([title, ...texts]);
  let startIndex = 0;
  const chunks = texts.map((text, index) => {
    const heading = [`Part ${index}`];
    const chunk = { sourceId, title, service, path, headingTrail: heading, startIndex, startLine: index + 1, text };
    startIndex += text.length + 1;
    const keywords = readKeywordFields({ title, headings: heading, path, service: [service], markdown: text });
    return { chunk, embedding: embeddings[index] ?? new Float32Array(), keywords };
  });
  const keywords = readKeywordFields({ title, headings: [], path, service: [service], markdown: texts.join("\n\n") });
  return { runbook, summaryEmbedding: summaryEmbedding ?? new Float32Array(), keywords, chunks };
}

export async function exampleQuery(text: string): Promise<StoreQuery> {
  return { embedding: await model.embedQuery(text), terms: new Map(readQueryTerms(text).map((term) => [term, 1])) };
}

export async function* streamOf(
  ...runbooks: (IndexedRunbook | Promise<IndexedRunbook>)[]
): AsyncGenerator<IndexedRunbook> {
  for (const runbook of runbooks) yield await runbook;
}
