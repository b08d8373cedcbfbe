import { createHash } from "node:crypto";

import { MINILM_LEVELS } from "../../src/models/create-embedding-model.ts";
import { createCheckedModel, type EmbeddingModel } from "../../src/models/embedding-model.ts";

export interface FakeEmbeddingModel extends EmbeddingModel {
  /** Every text that was embedded as a document, in order. */
  readonly embedded: string[];
}

/** Bag of hashed words: texts that share words are near. Fast, deterministic, and counts what it is asked. */
export async function createFakeEmbeddingModel(name = "hashed-words", dimensions = 64): Promise<FakeEmbeddingModel> {
  const embedded: string[] = [];
  const embed = (text: string): number[] => {
    const vector = Array.from({ length: dimensions }, () => 0.001);
    for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
      const slot = createHash("md5").update(name).update(word).digest().readUInt32LE() % dimensions;
      vector[slot] = (vector[slot] ?? 0) + 1;
    }
    return vector;
  };
  const model = await createCheckedModel(
    {
      embedQuery: async (text) => embed(text),
      embedDocuments: async (texts) => texts.map(embed),
    },
    { provider: "openai-compatible", name, dimensions, prefixes: { query: "", document: "" } },
    undefined,
    MINILM_LEVELS,
  );
  return {
    ...model,
    embedded,
    embedDocuments: (texts, onProgress) => {
      embedded.push(...texts);
      return model.embedDocuments(texts, onProgress);
    },
  };
}
