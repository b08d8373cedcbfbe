import { Worker } from "node:worker_threads";

import type { EmbedReply, EmbedRequest } from "./minilm-worker.ts";

export interface LocalEmbedder {
  /** Unit vectors, one per text, in order. */
  embed(texts: string[], onProgress?: (done: number) => void): Promise<number[][]>;
}

interface Waiting {
  readonly resolve: (vectors: number[][]) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: (done: number) => void;
}

/** all-MiniLM-L6-v2 on a worker thread; the thread ends with the process, and is started anew when it dies. */
export function createMiniLm(): LocalEmbedder {
  const waiting = new Map<number, Waiting>();
  let worker: Worker | null = null;
  let requests = 0;

  function start(): Worker {
    const started = new Worker(new URL("./minilm-worker.ts", import.meta.url));
    started.unref();
    const fail = (error: Error) => {
      worker = null;
      for (const { reject } of waiting.values()) reject(error);
      waiting.clear();
    };
    started.on("error", fail);
    started.on("exit", () => fail(new Error("the embedding thread ended")));
    started.on("message", (reply: EmbedReply) => {
      const request = waiting.get(reply.id);
      if ("done" in reply) {
        request?.onProgress(reply.done);
        return;
      }
      waiting.delete(reply.id);
      if (waiting.size === 0) started.unref();
      if ("vectors" in reply) request?.resolve(reply.vectors);
      else request?.reject(new Error(reply.error));
    });
    return started;
  }

  return {
    embed: (texts, onProgress = () => undefined) =>
      new Promise((resolve, reject) => {
        requests += 1;
        waiting.set(requests, { resolve, reject, onProgress });
        worker ??= start();
        // The process must not end while somebody waits.
        worker.ref();
        worker.postMessage({ id: requests, texts } satisfies EmbedRequest);
      }),
  };
}
