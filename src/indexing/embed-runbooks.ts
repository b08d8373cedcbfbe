import type { AccessPolicy } from "../access/access-policy.ts";
import type { Chunk } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import { readHeadingText, readProse } from "../markdown/plain-text.ts";
import type { EmbeddingModel } from "../models/embedding-model.ts";
import { refusedTextOf } from "../models/explain-embedding-failure.ts";
import type { EmbeddingCache } from "../store/embedding-cache.ts";
import { readKeywordFields } from "../store/keyword-fields.ts";
import type { IndexedRunbook } from "../store/passage-store.ts";
import type { EmbeddingProgress } from "./indexing-report.ts";
import type { LoadedRunbook } from "./load-runbook.ts";
import type { SplitRunbook } from "./split-runbook.ts";

/** Texts gathered before the model is asked: enough for its workers, few enough to lose little when it breaks off. */
const WINDOW = 256;
/** A text beyond what models read only costs time. */
const LONGEST_TEXT = 2000;

/** Adds embeddings and keyword fields to runbooks, window by window, each distinct text once. */
export async function* embedRunbooks(
  runbooks: AsyncIterable<SplitRunbook>,
  {
    embeddingModel,
    cache,
    policy,
    onProgress,
  }: {
    readonly embeddingModel: EmbeddingModel;
    readonly cache: EmbeddingCache;
    readonly policy: AccessPolicy;
    readonly onProgress: (progress: EmbeddingProgress) => void;
  },
): AsyncGenerator<IndexedRunbook> {
  let window: PreparedRunbook[] = [];
  let texts = 0;
  for await (const runbook of runbooks) {
    const prepared = prepare(runbook);
    window.push(prepared);
    texts += prepared.texts.length;
    if (texts < WINDOW) continue;
    yield* embedWindow(window);
    window = [];
    texts = 0;
  }
  yield* embedWindow(window);

  async function* embedWindow(prepared: readonly PreparedRunbook[]): AsyncGenerator<IndexedRunbook> {
    const wanted = [...new Set(prepared.flatMap((runbook) => runbook.texts))];
    const embeddings = new Map<string, Float32Array>();
    for (const text of wanted) {
      const known = cache.get(text);
      if (known) embeddings.set(text, known);
    }
    const reused = embeddings.size;
    onProgress({ reused, gathered: { runbooks: prepared.length, texts: wanted.length } });
    // Texts of like length together: workers then finish together.
    const missing = wanted
      .filter((text) => !embeddings.has(text))
      .toSorted((left, right) => left.length - right.length);
    if (missing.length > 0) {
      let [reported, kept] = [0, 0];
      const keep = (vectors: readonly Float32Array[]) => {
        const fresh = vectors.map((vector, place) => [missing[kept + place] as string, vector] as const);
        cache.put(new Map(fresh));
        for (const [text, vector] of fresh) embeddings.set(text, vector);
        kept += vectors.length;
      };
      const report = (done: number) => {
        onProgress({ embedded: done - reported });
        reported = done;
      };
      const vectors = await embeddingModel
        .embedDocuments(missing, (done, newest) => {
          keep(newest);
          report(done);
        })
        .catch((error: unknown) => {
          throw nameRunbook(error, missing, prepared);
        });
      keep(vectors.slice(kept));
      report(missing.length);
    }
    for (const runbook of prepared) {
      yield addEmbeddings(runbook, embeddings, policy);
      onProgress({ runbooks: 1 });
    }
  }
}

/** Says whose text it was when the model refused a single one. */
function nameRunbook(error: unknown, texts: readonly string[], prepared: readonly PreparedRunbook[]): unknown {
  const text = texts[refusedTextOf(error) ?? -1];
  const owner = prepared.find((runbook) => text !== undefined && runbook.texts.includes(text));
  if (owner === undefined) return error;
  const { path } = owner.runbook.document.metadata;
  return new PipelineError("indexing", `${path}: ${(error as PipelineError).message}`, { cause: error });
}

interface PreparedRunbook extends SplitRunbook {
  /** The summary's text, then one per chunk. */
  readonly texts: readonly string[];
}

function prepare({ runbook, chunks }: SplitRunbook): PreparedRunbook {
  return { runbook, chunks, texts: [summaryText(runbook), ...chunks.map(chunkText)] };
}

/** What the chunk's vector stands for: title, headings, and the prose without code and addresses. */
function chunkText(chunk: Chunk): string {
  const prose = splitCamelCase(readProse(chunk.text));
  return [splitCamelCase(chunk.title), ...chunk.headingTrail, prose].join(". ").slice(0, LONGEST_TEXT);
}

/** What the runbook's vector stands for: title and first paragraphs. */
function summaryText({ document, blocks }: LoadedRunbook): string {
  const paragraphs = blocks
    .filter((block) => block.kind === "paragraph")
    .slice(0, 4)
    .map((block) => readProse(document.pageContent.slice(block.from, block.to)));
  return [splitCamelCase(document.metadata.title), ...paragraphs].join(". ").slice(0, 1000);
}

function splitCamelCase(text: string): string {
  return text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ");
}

function addEmbeddings(
  { runbook, chunks, texts }: PreparedRunbook,
  embeddings: ReadonlyMap<string, Float32Array>,
  policy: AccessPolicy,
): IndexedRunbook {
  const { metadata, pageContent } = runbook.document;
  const embeddingOf = (index: number) => embeddings.get(texts[index] ?? "") as Float32Array;
  const service = [metadata.service, ...(policy.services.get(metadata.service)?.aliases ?? [])];
  const common = { title: metadata.title, path: metadata.path, service };
  const headings = runbook.blocks
    .filter((block) => block.kind === "heading")
    .map((block) => readHeadingText(pageContent.slice(block.content.from, block.content.to)));
  return {
    runbook: metadata,
    summaryEmbedding: embeddingOf(0),
    keywords: readKeywordFields({ ...common, headings, markdown: chunks.map((chunk) => chunk.text).join("\n\n") }),
    chunks: chunks.map((chunk, index) => ({
      chunk,
      embedding: embeddingOf(index + 1),
      keywords: readKeywordFields({ ...common, headings: chunk.headingTrail, markdown: chunk.text }),
    })),
  };
}
