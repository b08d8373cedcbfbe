import { PipelineError } from "../errors.ts";
import type { EmbeddingModelInfo, IndexVersion } from "../store/passage-store.ts";
import { isSameModel } from "./embedding-model.ts";

/**
 * Vectors of another model are noise: an index that was made by one is refused, not searched.
 * @throws PipelineError `freshness` with the command that mends it.
 */
export function assertIndexFits(index: IndexVersion | null, model: EmbeddingModelInfo): asserts index is IndexVersion {
  if (index === null) throw new PipelineError("freshness", "there is no index yet; run: npm run reindex");
  if (isSameModel(index.model, model)) return;
  const message = `the index was made by ${index.model.name}, the configured embedding model is ${model.name}`;
  throw new PipelineError("freshness", `${message}; run: npm run reindex`);
}
