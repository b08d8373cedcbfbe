import { join } from "node:path";

import type { Config } from "../config.ts";
import type { PassageStore } from "./passage-store.ts";
import { createSqlitePassageStore } from "./sqlite-passage-store.ts";

/** Qdrant when it is configured, else a SQLite file in the data directory. */
export async function createPassageStore(config: Config): Promise<PassageStore> {
  if (config.qdrant === null) return createSqlitePassageStore(join(config.dataDir, "index.sqlite"));
  const { createQdrantPassageStore } = await import("./qdrant-passage-store.ts");
  return createQdrantPassageStore(config.qdrant, config.qdrantCluster);
}
