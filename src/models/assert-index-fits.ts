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
  throw new PipelineError("freshness", `${describeDifference(index.model, model)}; run: npm run reindex`);
}

function describeDifference(indexed: EmbeddingModelInfo, model: EmbeddingModelInfo): string {
  const made = `the index was made by ${indexed.name}`;
  if (indexed.name !== model.name || indexed.provider !== model.provider) {
    return `${made} (${indexed.provider}), the configured embedding model is ${model.name} (${model.provider})`;
  }
  if (indexed.dimensions !== model.dimensions) {
    return `${made} with ${indexed.dimensions} dimensions, the configured embedding model has ${model.dimensions}`;
  }
  const { query, document } = indexed.prefixes;
  if (query !== model.prefixes.query || document !== model.prefixes.document) {
    return `${made} with other task prefixes (EMBEDDING_QUERY_PREFIX, EMBEDDING_DOCUMENT_PREFIX)`;
  }
  return `${made}, which gives other vectors now: the server has another model under that name`;
}
