import type { Chunk, RunbookMetadata } from "../../src/domain.ts";
import { readKeywordFields } from "../../src/store/keyword-fields.ts";
import type { IndexedRunbook, IndexHeader, StoreQuery } from "../../src/store/passage-store.ts";
import { readQueryTerms } from "../../src/store/read-terms.ts";
import { createFakeEmbeddingModel } from "./fake-embedding-model.ts";

const model = await createFakeEmbeddingModel();

export interface ExampleRunbook {
  readonly sourceId?: string;
  readonly service?: string;
  readonly title?: string;
  /** One chunk each; a heading is added. */
  readonly sections?: readonly string[];
  /** Names besides the service's own that keyword search reads. */
  readonly aliases?: readonly string[];
  readonly contentHash?: string;
  readonly owner?: string | null;
  /** Of the summary and every chunk; left out: what the texts say. */
  readonly embedding?: Float32Array;
}

/** A runbook as the indexing steps hand it to a store, with hashed embeddings; state only what matters. */
export async function exampleRunbook({
  sourceId = "checkout-database",
  service = "checkout-api",
  title = "Checkout database connections",
  sections = ["Count the open connections: `poolctl count`.", "Compare with the limit: `poolctl limit`."],
  aliases = [],
  contentHash = "0".repeat(64),
  owner = null,
  embedding,
}: ExampleRunbook = {}): Promise<IndexedRunbook> {
  const path = `${sourceId}.md`;
  const runbook: RunbookMetadata = { sourceId, path, title, service, contentHash, owner, lastReviewed: null };
  const file = [`# ${title}\n\n`];
  const chunks = sections.map((section, index): Chunk => {
    const startIndex = file.join("").length;
    const startLine = file.join("").split("\n").length;
    const text = `## Section ${index + 1}\n\n${section}`;
    file.push(`${text}\n\n`);
    return { sourceId, title, service, path, headingTrail: [`Section ${index + 1}`], startIndex, startLine, text };
  });
  const [summary, ...embeddings] = await model.embedDocuments([title, ...chunks.map(({ text }) => `${title} ${text}`)]);
  const common = { title, path, service: [service, ...aliases] };
  return {
    runbook,
    summaryEmbedding: embedding ?? (summary as Float32Array),
    keywords: readKeywordFields({
      ...common,
      headings: chunks.flatMap(({ headingTrail }) => headingTrail),
      markdown: chunks.map(({ text }) => text).join("\n\n"),
    }),
    chunks: chunks.map((chunk, index) => ({
      chunk,
      embedding: embedding ?? (embeddings[index] as Float32Array),
      keywords: readKeywordFields({ ...common, headings: chunk.headingTrail, markdown: chunk.text }),
    })),
  };
}

export function exampleHeader(overrides: Partial<IndexHeader> = {}): IndexHeader {
  return {
    model: model.info,
    chunkerVersion: "test",
    policyVersion: "policy",
    serviceLabels: { "checkout-api": "checkout-api\ncheckout" },
    indexedAt: "2026-12-01T10:00:00.000Z",
    commit: null,
    complete: true,
    failures: [],
    warnings: [],
    leftOut: [],
    ...overrides,
  };
}

/** What the retriever would ask for these words. */
export async function exampleQuery(words: string, embedding?: Float32Array): Promise<StoreQuery> {
  const terms = new Map<string, number>();
  for (const term of readQueryTerms(words)) terms.set(term, Math.min((terms.get(term) ?? 0) + 1, 2));
  return { embedding: embedding ?? (await model.embedQuery(words)), terms };
}

export async function* streamRunbooks(...runbooks: readonly IndexedRunbook[]): AsyncGenerator<IndexedRunbook> {
  yield* runbooks;
}
