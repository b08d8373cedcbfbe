import { once } from "node:events";
import { join } from "node:path";

import { readAccessFile } from "../../src/access/read-access-file.ts";
import { indexRunbooks } from "../../src/indexing/index-runbooks.ts";
import { lockIndexing } from "../../src/indexing/lock-indexing.ts";
import { openEmbeddingCache } from "../../src/store/embedding-cache.ts";
import { createQdrantPassageStore } from "../../src/store/qdrant-passage-store.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createFakeEmbeddingModel } from "../fakes/fake-embedding-model.ts";

// Run by a test, which kills it: the whole indexing story in the current directory, with a quick embedding model.
const url = process.argv[2];
const store =
  url === undefined
    ? createSqlitePassageStore(join("data", "index.sqlite"))
    : createQdrantPassageStore({ url, apiKey: null, collection: "runbooks" });
const embeddingModel = await createFakeEmbeddingModel();

// Everything is loaded; the test says when to begin.
await once(process.stdin, "data");
process.stdin.destroy();
process.stdout.write("start\n");
const unlock = lockIndexing("data");
const cache = openEmbeddingCache(join("data", "embeddings.sqlite"), embeddingModel.info);
const policy = readAccessFile("access.yaml");
await indexRunbooks({ directory: "runbooks", policy, store, embeddingModel, cache, full: false, skipBad: false });
cache.close();
unlock();
process.stdout.write(`embedded ${embeddingModel.embedded.length}\n`);
