import type { EmbeddingsInterface } from "@langchain/core/embeddings";

import { PipelineError } from "../errors.ts";
import type { EmbeddingModelInfo } from "../store/passage-store.ts";

/** A model with its identity. Vectors come out checked: right number, right width, finite, of length 1. */
export interface EmbeddingModel {
  readonly info: EmbeddingModelInfo;
  readonly levels: CosineLevels;
  embedQuery(text: string): Promise<Float32Array>;
  /**
   * One vector per text, in order. `onProgress` hears how many are done, and of a model that has them already the vectors
   * since the last time, in order: what is kept at once is not lost when the next ones fail.
   */
  embedDocuments(
    texts: readonly string[],
    onProgress?: (done: number, newest: readonly Float32Array[]) => void,
  ): Promise<Float32Array[]>;
}

const PROBE = "The probe of the runbook index: connection refused after the 14:05 deployment.";

/** What a model's cosines mean: the e5 family gives 0.81 to what is unrelated, MiniLM 0.11. */
export interface CosineLevels {
  /** Mean cosine of a question with passages about something else. */
  readonly unrelated: number;
  /** Mean cosine of a question with a passage that answers it in other words. */
  readonly related: number;
}

/** Questions and passages that answer them: the cosines of pairs and of strangers are a model's levels. */
const PAIRS: readonly (readonly [string, string])[] = [
  [
    "the disk is full, what can i delete",
    "Free disk space. Remove old log files and rotated dumps when the volume has no space left.",
  ],
  [
    "how do i renew an expired certificate",
    "Renew a certificate. When a TLS certificate is about to expire, request a new one and reload the gateway.",
  ],
  [
    "payments are slow",
    "High payment latency. Compare the response times of the providers and switch to the faster one.",
  ],
  [
    "users cannot log in",
    "Sign-in fails. Check the identity provider and the clock of the login service when people can't authenticate.",
  ],
  [
    "the queue keeps growing",
    "Backlog of messages. Add consumers when messages wait longer than a minute in the queue.",
  ],
  ["roll back the last release", "Undo a deployment. Deploy the previous version again and watch the error rate."],
];

/** Same name, width and prefixes, and the probe lands in the same place (floats differ a little between runs). */
export function isSameModel(left: EmbeddingModelInfo, right: EmbeddingModelInfo): boolean {
  return (
    left.provider === right.provider &&
    left.name === right.name &&
    left.dimensions === right.dimensions &&
    left.prefixes.query === right.prefixes.query &&
    left.prefixes.document === right.prefixes.document &&
    dotProduct(left.probe, right.probe) > 0.995
  );
}

/** LangChain's `embedDocuments`, and what it says meanwhile. */
type EmbedMany = (
  texts: string[],
  onProgress?: (done: number, newest?: readonly number[][]) => void,
) => Promise<number[][]>;

/**
 * Wraps LangChain's port: embeds the probe once, adds the prefixes, and checks what comes back.
 * @throws PipelineError `dependency` when the model does not answer or answers nonsense.
 */
export async function createCheckedModel(
  embeddings: EmbeddingsInterface & { readonly server?: string },
  identity: Omit<EmbeddingModelInfo, "dimensions" | "probe"> & { readonly dimensions: number | null },
  embedMany: EmbedMany = (texts) => embeddings.embedDocuments(texts),
  knownLevels: CosineLevels | null = null,
): Promise<EmbeddingModel> {
  const where = embeddings.server === undefined ? "" : ` at ${embeddings.server}`;
  const model = `the embedding model ${identity.name}${where}`;
  const ask = async <T>(request: Promise<T>): Promise<T> =>
    request.catch((cause: unknown) => {
      if (cause instanceof PipelineError) throw cause;
      throw new PipelineError("dependency", `${model} did not answer`, { cause });
    });
  const [probe] = await ask(embedMany([PROBE]));
  const dimensions = identity.dimensions ?? probe?.length ?? 0;
  const wanted = identity.dimensions === null ? "as before" : "as EMBEDDING_DIMENSIONS says; correct or unset it";
  const check = (vector: readonly number[] | undefined) => checkVector(vector, model, { dimensions, wanted });
  const info = { ...identity, dimensions, probe: [...check(probe)].map((value) => Number(value.toFixed(5))) };

  const embedAll = async (texts: string[]) => (await ask(embedMany(texts))).map(check);
  const measure = async (): Promise<CosineLevels> =>
    readLevels(
      await embedAll(PAIRS.map(([question]) => identity.prefixes.query + question)),
      await embedAll(PAIRS.map(([, passage]) => identity.prefixes.document + passage)),
    );
  const levels = knownLevels ?? (await measure());
  return {
    info,
    levels,
    embedQuery: async (text) => check(await ask(embeddings.embedQuery(identity.prefixes.query + text))),
    embedDocuments: async (texts, onProgress) => {
      const prefixed = texts.map((text) => identity.prefixes.document + text);
      const report = (done: number, newest: readonly number[][] = []) => onProgress?.(done, newest.map(check));
      const vectors = await ask(embedMany(prefixed, report));
      if (vectors.length !== texts.length) {
        throw new PipelineError("dependency", `${model} gave ${vectors.length} vectors for ${texts.length} texts`);
      }
      return vectors.map(check);
    },
  };
}

function readLevels(questions: readonly Float32Array[], passages: readonly Float32Array[]): CosineLevels {
  let [related, unrelated] = [0, 0];
  for (const [row, question] of questions.entries()) {
    for (const [column, passage] of passages.entries()) {
      if (row === column) related += dotProduct(question, passage);
      else unrelated += dotProduct(question, passage);
    }
  }
  const { length } = questions;
  return { related: related / length, unrelated: unrelated / (length * (length - 1)) };
}

function checkVector(
  vector: readonly number[] | undefined,
  model: string,
  { dimensions, wanted }: { readonly dimensions: number; readonly wanted: string },
): Float32Array {
  if (vector?.length !== dimensions || dimensions === 0) {
    const message = `${model} gave a vector of ${vector?.length ?? 0} numbers, not ${dimensions} ${wanted}`;
    throw new PipelineError("dependency", message);
  }
  const length = Math.sqrt(dotProduct(vector, vector));
  if (!Number.isFinite(length) || length === 0) {
    throw new PipelineError("dependency", `${model} gave a vector that is zero or not finite`);
  }
  return Float32Array.from(vector, (value) => value / length);
}

export function dotProduct(left: ArrayLike<number>, right: ArrayLike<number>): number {
  let sum = 0;
  for (let index = 0; index < left.length; index += 1) sum += (left[index] ?? 0) * (right[index] ?? 0);
  return sum;
}
