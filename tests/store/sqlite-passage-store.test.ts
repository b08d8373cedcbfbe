import { join } from "node:path";

import { onTestFinished } from "vitest";

import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";
import { passageStoreContract } from "./passage-store-contract.ts";

passageStoreContract("SQLite", async () => {
  const path = join(temporaryDirectory(), "index.sqlite");
  return {
    open() {
      const store = createSqlitePassageStore(path);
      onTestFinished(() => store.close());
      return store;
    },
  };
});
