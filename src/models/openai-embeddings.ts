import { OpenAIEmbeddings } from "@langchain/openai";

import type { Config } from "../config.ts";
import { explainEmbeddingFailure, isQuotaUsedUp, isTooLong, isTooMuch } from "./explain-embedding-failure.ts";
import { readEmbeddingReply } from "./read-embedding-reply.ts";
import { retryRequest, type Persistence } from "./retry-request.ts";

/** Texts per request at first: a batch of this many passages stays far below every provider's limit. */
const BATCH_SIZE = 64;
/** Somebody waits for a question's embedding; indexing waits for a busy server. */
const ASKING: Persistence = { attempts: 2, longestPauseMs: 1000 };
const INDEXING_TIMEOUT_MS = 30_000;
const INDEXING: Persistence = { attempts: 8, longestPauseMs: 60_000 };
/** A server that never answered is probably not there. */
const STARTING: Persistence = { attempts: 4, longestPauseMs: 30_000 };
/** A question cut to less says too little. */
const SHORTEST_QUESTION = 200;

export interface ProviderEmbeddings {
  /** Where it runs, for messages: no user name, no password. */
  readonly server: string;
  readonly embedQuery: (text: string) => Promise<number[]>;
  /** One vector per text, in their order; `onProgress` hears how many are done, and the newest of them. */
  readonly embedDocuments: (
    texts: string[],
    onProgress?: (done: number, newest: number[][]) => void,
  ) => Promise<number[][]>;
}

/** LangChain shows what the server sent to its own subclasses only. */
class RawEmbeddings extends OpenAIEmbeddings {
  request(parameters: Parameters<OpenAIEmbeddings["embeddingWithRetry"]>[0]): Promise<unknown> {
    return this.embeddingWithRetry(parameters);
  }
}

/**
 * LangChain's OpenAI embeddings against servers that are merely compatible. It checks nothing of what comes back, so we
 * read the reply ourselves: vectors are put in the order of their `index`, base64 is decoded, too few are asked for again
 * in smaller batches. Retries are ours: LangChain's and the client's would multiply, and give up on most 429s.
 */
export function createOpenAiEmbeddings(
  settings: Config["models"] & { readonly embeddingModel: string },
  signal?: AbortSignal,
): ProviderEmbeddings {
  const connect = (timeout: number) =>
    new RawEmbeddings({
      model: settings.embeddingModel,
      apiKey: settings.apiKey ?? "none",
      maxRetries: 0,
      timeout,
      configuration: {
        fetch: fetchWithin(timeout, signal),
        ...(settings.baseUrl === null ? {} : { baseURL: settings.baseUrl }),
      },
    });
  // Both attempts for a question end within the time that a model may take.
  const asking = connect(settings.timeoutMs / ASKING.attempts);
  const indexing = connect(Math.max(settings.timeoutMs, INDEXING_TIMEOUT_MS));
  const server = nameServer(settings.baseUrl);
  let batchSize = settings.embeddingBatchSize ?? BATCH_SIZE;
  let hasAnswered = false;
  const isFinal = (error: unknown) =>
    isTooMuch(error) ||
    isQuotaUsedUp(error) ||
    error instanceof SyntaxError ||
    // Whoever starts the bot or a command is not kept waiting four times.
    (!hasAnswered && error instanceof Error && error.name === "TimeoutError");

  /** The server's vectors for some texts, in order; fewer than texts when it gave fewer. */
  async function ask(texts: readonly string[], embeddings: RawEmbeddings, persistence: Persistence) {
    const request = () =>
      embeddings.request({
        model: settings.embeddingModel,
        input: [...texts],
        encoding_format: "float",
        ...(settings.embeddingDimensions === null ? {} : { dimensions: settings.embeddingDimensions }),
      });
    const reply = await retryRequest(request, persistence, { isFinal, signal });
    hasAnswered = true;
    return readEmbeddingReply(reply, texts.length, server);
  }

  const explain = (error: unknown, text: { place: number; length: number } | null = null) =>
    explainEmbeddingFailure(error, { model: settings.embeddingModel, server }, text);

  /** Null when the batch is too much for the server. */
  async function askForBatch(batch: readonly string[], place: number): Promise<number[][] | null> {
    try {
      const found = await ask(batch, indexing, hasAnswered ? INDEXING : STARTING);
      return found.length < batch.length ? null : found;
    } catch (error) {
      // A text that is refused on its own is not refused for its number.
      if (batch.length > 1 && isTooMuch(error)) return null;
      throw explain(error, batch.length > 1 ? null : { place, length: batch[0]?.length ?? 0 });
    }
  }

  return {
    server,
    async embedQuery(text) {
      for (let asked = text; ; asked = asked.slice(0, asked.length / 2)) {
        try {
          return (await ask([asked], asking, ASKING))[0] ?? [];
        } catch (error) {
          // The beginning of a pasted log is better than nothing of it.
          if (!isTooLong(error) || asked.length < SHORTEST_QUESTION) throw explain(error);
        }
      }
    },
    async embedDocuments(texts, onProgress) {
      const vectors: number[][] = [];
      while (vectors.length < texts.length) {
        const batch = texts.slice(vectors.length, vectors.length + batchSize);
        const newest = await askForBatch(batch, vectors.length);
        if (newest === null) {
          batchSize = Math.ceil(batch.length / 2);
          continue;
        }
        vectors.push(...newest);
        onProgress?.(vectors.length, newest);
      }
      return vectors;
    },
  };
}

/** The client's own timeout ends with the headers; a body that never ends would keep its place for ever. */
function fetchWithin(timeoutMs: number, stop?: AbortSignal): typeof fetch {
  return (address, init) => {
    const ends = [init?.signal, stop].filter((signal) => signal instanceof AbortSignal);
    return fetch(address, { ...init, signal: AbortSignal.any([...ends, AbortSignal.timeout(timeoutMs)]) });
  };
}

function nameServer(baseUrl: string | null): string {
  if (baseUrl === null) return "api.openai.com";
  const { origin, pathname } = new URL(baseUrl);
  return origin + pathname.replace(/\/+$/, "");
}
