import { join } from "node:path";

import { readAccessFile } from "../../src/access/read-access-file.ts";
import { indexRunbooks } from "../../src/indexing/index-runbooks.ts";
import type { EmbeddingModel } from "../../src/models/embedding-model.ts";
import { openEmbeddingCache } from "../../src/store/embedding-cache.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import type { Row } from "./measure.ts";

/** The sample runbooks from nothing, and once more with nothing changed. */
export async function measureIndexing(
  directory: string,
  store: PassageStore,
  embeddingModel: EmbeddingModel,
): Promise<Row[]> {
  const cache = openEmbeddingCache(join(directory, "embeddings.sqlite"), embeddingModel.info);
  const policy = readAccessFile("access.yaml");
  const index = () =>
    indexRunbooks({ directory: "runbooks", policy, store, embeddingModel, cache, full: false, skipBad: false });
  const first = await index();
  const again = await index();
  cache.close();
  const each = first.durationMs / first.chunks.embedded;
  return [
    {
      what: `first index of ${first.documents.total} sample runbooks`,
      p50: first.durationMs,
      p99: null,
      note: `${first.chunks.embedded} texts, ${each.toFixed(0)} ms each`,
    },
    {
      what: "the same again, nothing changed",
      p50: again.durationMs,
      p99: null,
      note: `${again.chunks.embedded} texts embedded`,
    },
  ];
}
