import { parentPort } from "node:worker_threads";

import { loadMiniLm } from "./minilm-engine.ts";

// MiniLM on a thread of its own: a text takes milliseconds, in which the main thread must answer Slack.
const engine = loadMiniLm();

export interface EmbedRequest {
  readonly id: number;
  readonly texts: string[];
}
export type EmbedReply =
  | { readonly id: number; readonly vectors: number[][] }
  | { readonly id: number; readonly done: number }
  | { readonly id: number; readonly error: string };

parentPort?.on("message", ({ id, texts }: EmbedRequest) => {
  const reply = (message: EmbedReply) => parentPort?.postMessage(message);
  embedAll(texts, (done) => reply({ id, done }))
    .then((vectors) => reply({ id, vectors }))
    .catch((error: unknown) => reply({ id, error: String(error) }));
});

/** One text after the other, with a breath between them, so that a question does not wait for a whole window. */
async function embedAll(texts: readonly string[], onProgress: (done: number) => void): Promise<number[][]> {
  const embed = await engine;
  const vectors: number[][] = [];
  for (const text of texts) {
    vectors.push(await embed(text));
    onProgress(vectors.length);
  }
  return vectors;
}
