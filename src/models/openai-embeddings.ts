import { OpenAIEmbeddings } from "@langchain/openai";
import { z } from "zod";

import type { Config } from "../config.ts";
import { PipelineError } from "../errors.ts";
import { retryRequest, statusOf, type Persistence } from "./retry-request.ts";

/** Texts per request at first: a batch of this many passages stays far below every provider's limit. */
const BATCH_SIZE = 64;
/** Refusals that a smaller batch may get past: a server that takes one text per request says one of these. */
const TOO_MUCH = new Set([400, 413, 422]);
/** Somebody waits for a question's embedding; indexing waits for a busy server. */
const ASKING: Persistence = { attempts: 2, longestPauseMs: 1000 };
const INDEXING_TIMEOUT_MS = 30_000;
const INDEXING: Persistence = { attempts: 8, longestPauseMs: 60_000 };

const Reply = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: z.union([z.array(z.number()), z.string()]) })),
});

export interface ProviderEmbeddings {
  readonly embedQuery: (text: string) => Promise<number[]>;
  /** One vector per text, in their order. */
  readonly embedDocuments: (texts: string[], onProgress?: (done: number) => void) => Promise<number[][]>;
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
): ProviderEmbeddings {
  const connect = (timeout: number) =>
    new RawEmbeddings({
      model: settings.embeddingModel,
      apiKey: settings.apiKey ?? "none",
      maxRetries: 0,
      timeout,
      ...(settings.baseUrl === null ? {} : { configuration: { baseURL: settings.baseUrl } }),
    });
  // Both attempts for a question end within the time that a model may take.
  const asking = { embeddings: connect(settings.timeoutMs / ASKING.attempts), persistence: ASKING };
  const indexing = { embeddings: connect(Math.max(settings.timeoutMs, INDEXING_TIMEOUT_MS)), persistence: INDEXING };
  const server = settings.baseUrl ?? "the provider";
  let batchSize = settings.embeddingBatchSize ?? BATCH_SIZE;

  /** The server's vectors for some texts, in order; fewer than texts when it gave fewer. */
  async function ask(texts: readonly string[], { embeddings, persistence }: typeof asking): Promise<number[][]> {
    const reply = await retryRequest(
      () =>
        embeddings.request({
          model: settings.embeddingModel,
          input: [...texts],
          encoding_format: "float",
          ...(settings.embeddingDimensions === null ? {} : { dimensions: settings.embeddingDimensions }),
        }),
      persistence,
    );
    return readVectors(reply, texts.length, server);
  }

  return {
    async embedQuery(text) {
      const [vector] = await explain(ask([text], asking), settings);
      return vector ?? [];
    },
    async embedDocuments(texts, onProgress) {
      const vectors: number[][] = [];
      while (vectors.length < texts.length) {
        const batch = texts.slice(vectors.length, vectors.length + batchSize);
        const smaller = Math.ceil(batch.length / 2);
        try {
          const found = await ask(batch, indexing);
          if (found.length < batch.length && batch.length > 1) batchSize = smaller;
          else vectors.push(...found);
        } catch (error) {
          // A text that is refused on its own is not refused for its number.
          if (batch.length === 1 || !TOO_MUCH.has(statusOf(error) ?? 0)) throw explained(error, settings);
          batchSize = smaller;
        }
        onProgress?.(vectors.length);
      }
      return vectors;
    },
  };
}

/** @throws PipelineError `dependency` when the reply is no list of embeddings with each index once. */
function readVectors(reply: unknown, wanted: number, server: string): number[][] {
  const parsed = Reply.safeParse(reply);
  const fail = (what: string) => new PipelineError("dependency", `the embedding server at ${server} ${what}`);
  if (!parsed.success) throw fail("gave something that is no list of embeddings; check OPENAI_BASE_URL");
  const { data } = parsed.data;
  if (data.length > wanted) throw fail(`gave ${data.length} vectors for ${wanted} texts`);
  const ordered = data.toSorted((left, right) => left.index - right.index);
  if (ordered.some(({ index }, place) => index !== place)) {
    throw fail("numbered its vectors wrongly (an index twice, or missing); they can't be told apart");
  }
  return ordered.map(({ embedding }) => (typeof embedding === "string" ? decodeFloats(embedding) : embedding));
}

/** Base64 of little-endian 32-bit floats: what the API sends for `encoding_format: base64`, and some servers always. */
function decodeFloats(base64: string): number[] {
  const bytes = Buffer.from(base64, "base64");
  return Array.from({ length: Math.floor(bytes.length / 4) }, (_, place) => bytes.readFloatLE(place * 4));
}

async function explain<T>(request: Promise<T>, settings: Config["models"]): Promise<T> {
  return request.catch((error: unknown) => {
    throw explained(error, settings);
  });
}

/** The failure with its way out; the provider's own words may hold the text that was sent, so they stay out. */
function explained(cause: unknown, { embeddingModel, baseUrl }: Config["models"]): PipelineError {
  if (cause instanceof PipelineError) return cause;
  const status = statusOf(cause);
  const server = baseUrl ?? "the provider";
  const context = { status };
  const say = (what: string) =>
    new PipelineError("dependency", `the embedding server at ${server} ${what}`, { cause, context });
  if (status === null) return say("did not answer; check OPENAI_BASE_URL and that it runs");
  if (status === 401 || status === 403) return say(`refused the key (${status}); check OPENAI_API_KEY`);
  if (status === 404) return say(`knows no model ${embeddingModel} (404); check EMBEDDING_MODEL and OPENAI_BASE_URL`);
  if (status === 429) return say("has had enough requests (429); wait, or raise its limit, and run the command again");
  return say(`refused a request (${status})`);
}
