import { truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { exampleHeader, exampleQuery, exampleRunbook, streamOf } from "../fakes/example-index.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";
import { passageStoreContract } from "./passage-store-contract.ts";

function open(path: string) {
  const store = createSqlitePassageStore(path);
  onTestFinished(() => store.close());
  return store;
}

passageStoreContract("SQLite", async () => {
  const path = join(temporaryDirectory(), "index.sqlite");
  return { store: open(path), reopen: () => open(path) };
});

describe("the SQLite index file", () => {
  const pool = () => exampleRunbook({ sourceId: "pool", texts: ["Count the pool."] });

  it.each([
    ["garbage", (path: string) => writeFileSync(path, "garbage")],
    ["empty", (path: string) => writeFileSync(path, "")],
    ["cut short", (path: string) => truncateSync(path, 5000)],
  ])("is refused with the command that mends it when it is %s", async (_name, damage) => {
    const path = join(temporaryDirectory(), "index.sqlite");
    const writer = createSqlitePassageStore(path);
    await writer.publish(exampleHeader, new Set(), streamOf(pool()));
    await writer.close();
    damage(path);

    const search = open(path).search(await exampleQuery("pool"), allowServices(["checkout"]), 10);

    await expect(search).rejects.toMatchObject({
      kind: "freshness",
      message: expect.stringContaining("npm run reindex"),
    });
  });
});
