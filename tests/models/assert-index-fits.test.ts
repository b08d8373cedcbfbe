import { expect, test } from "vitest";

import { assertIndexFits } from "../../src/models/assert-index-fits.ts";
import type { EmbeddingModelInfo, IndexVersion } from "../../src/store/passage-store.ts";
import { exampleHeader } from "../fakes/example-index.ts";

const MODEL: EmbeddingModelInfo = {
  provider: "openai-compatible",
  name: "words",
  dimensions: 2,
  prefixes: { query: "", document: "" },
  probe: [1, 0],
};
const indexOf = (model: Partial<EmbeddingModelInfo>): IndexVersion => ({
  ...exampleHeader({ model: { ...MODEL, ...model } }),
  version: "v",
  documents: 1,
  chunks: 1,
});

test("an index of the same model fits, though its vectors differ a little between runs", () => {
  expect(() => assertIndexFits(indexOf({ probe: [0.9999, 0.01] }), MODEL)).not.toThrow();
});

test.each([
  [null, "there is no index yet"],
  [indexOf({ name: "others" }), "made by others (openai-compatible), the configured embedding model is words"],
  [indexOf({ provider: "local" }), "made by words (local)"],
  [indexOf({ dimensions: 3 }), "with 3 dimensions, the configured embedding model has 2"],
  [indexOf({ prefixes: { query: "q: ", document: "" } }), "EMBEDDING_QUERY_PREFIX"],
  // The same name and width, and other weights: only the probe tells.
  [indexOf({ probe: [0.6, 0.8] }), "another model under that name"],
])("an index that does not fit is refused with the difference and the command: %#", (index, difference) => {
  expect(() => assertIndexFits(index, MODEL)).toThrow(difference);
  expect(() => assertIndexFits(index, MODEL)).toThrow("run: npm run reindex");
});
