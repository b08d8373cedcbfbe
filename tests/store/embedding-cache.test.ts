import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, it } from "vitest";

import { openEmbeddingCache } from "../../src/store/embedding-cache.ts";
import { exampleHeader } from "../fakes/example-index.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";

const { model } = exampleHeader();
const embedding = new Float32Array(model.dimensions).fill(0.125);

it("keeps embeddings by model: another one's prefixes are another one's embeddings", () => {
  const path = join(temporaryDirectory(), "embeddings.sqlite");
  const cache = openEmbeddingCache(path, model);
  cache.put(new Map([["pool", embedding]]));
  const prefixed = openEmbeddingCache(path, { ...model, prefixes: { query: "query: ", document: "" } });

  expect([cache.get("pool"), prefixed.get("pool")]).toEqual([embedding, null]);
  cache.close();
  prefixed.close();
});

it("never makes a published index look like a failure because it can't be trimmed", () => {
  const path = join(temporaryDirectory(), "embeddings.sqlite");
  const cache = openEmbeddingCache(path, model);
  const other = new DatabaseSync(path);
  other.exec("DROP TABLE embeddings");
  other.close();

  expect(() => cache.trim(1)).not.toThrow();
  cache.close();
});
