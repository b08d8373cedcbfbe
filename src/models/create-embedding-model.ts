import type { Config } from "../config.ts";
import { createMiniLm } from "./minilm.ts";
import { createCheckedModel, type CosineLevels, type EmbeddingModel } from "./embedding-model.ts";
import { taskPrefixes } from "./task-prefixes.ts";

/**
 * The configured provider's embedding model, or MiniLM in this process when there is none. `signal` ends the provider's
 * requests and the pauses between them.
 */
export async function createEmbeddingModel(settings: Config["models"], signal?: AbortSignal): Promise<EmbeddingModel> {
  const { embeddingModel } = settings;
  if (embeddingModel === null) return createLocalModel();
  // LangChain's client takes a while to load; MiniLM does without.
  const { createOpenAiEmbeddings } = await import("./openai-embeddings.ts");
  const embeddings = createOpenAiEmbeddings({ ...settings, embeddingModel }, signal);
  const known = taskPrefixes(embeddingModel);
  const identity = {
    provider: "openai-compatible",
    name: embeddingModel,
    dimensions: settings.embeddingDimensions,
    prefixes: {
      query: settings.embeddingQueryPrefix ?? known.query,
      document: settings.embeddingDocumentPrefix ?? known.document,
    },
  } as const;
  return createCheckedModel(embeddings, identity, embeddings.embedDocuments);
}

/** Measured as `createCheckedModel` measures it for others; known, so that the start does not wait for it. */
export const MINILM_LEVELS: CosineLevels = { unrelated: 0.114, related: 0.537 };

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
    MINILM_LEVELS,
  );
}
