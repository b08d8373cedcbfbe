import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import type { SearchResult } from "../../src/store/passage-store.ts";
import { createQdrantPassageStore } from "../../src/store/qdrant-passage-store.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { exampleHeader, exampleQuery, exampleRunbook, streamOf } from "../fakes/example-index.ts";
import { createQdrantStandIn } from "../fakes/qdrant/qdrant-stand-in.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";
import { passageStoreContract } from "./passage-store-contract.ts";

async function startQdrant(prefix = "") {
  const qdrant = await createQdrantStandIn(prefix);
  onTestFinished(() => qdrant.stop());
  const settings = { url: qdrant.url, apiKey: null, collection: "runbooks" };
  return { qdrant, store: createQdrantPassageStore(settings), reopen: () => createQdrantPassageStore(settings) };
}
const pool = (sourceId = "pool", service = "checkout") =>
  exampleRunbook({ sourceId, service, texts: ["Count the pool.", "Raise the limit."] });
const checkout = allowServices(["checkout"]);

passageStoreContract("Qdrant", startQdrant);

describe("the Qdrant adapter", () => {
  it("ranks and scores as the SQLite store does", async () => {
    const words = ["pool", "cart", "limit", "ledger", "drift", "queue", "disk", "full", "restart", "worker"];
    const some = (seed: number) => words.filter((_word, index) => (seed * (index + 3)) % 7 < 3).join(" ");
    const runbooks = Array.from({ length: 30 }, (_, number) =>
      exampleRunbook({
        sourceId: `r${number}`,
        service: `s${number % 3}`,
        title: `Title ${some(number)}`,
        texts: [some(number + 1), some(number + 2), some(number * 5)],
      }),
    );
    const { store: qdrant } = await startQdrant();
    const sqlite = createSqlitePassageStore(join(temporaryDirectory(), "index.sqlite"));
    onTestFinished(() => sqlite.close());
    for (const store of [qdrant, sqlite]) await store.publish(exampleHeader, new Set(), streamOf(...runbooks));
    const shape = ({ runbooks: found }: SearchResult) =>
      found.map(({ runbook, score, chunks }) => [
        runbook.sourceId,
        score.toFixed(4),
        chunks.map(({ chunk, score: own }) => [chunk.startIndex, own.toFixed(4)]),
      ]);

    for (const text of ["pool limit", "ledger drift queue", "disk full restart worker", "unknown words"]) {
      for (const services of [["s0"], ["s0", "s2"], ["s0", "s1", "s2"]]) {
        const query = await exampleQuery(text);
        const allowed = allowServices(services);
        expect(shape(await qdrant.search(query, allowed, 10))).toEqual(shape(await sqlite.search(query, allowed, 10)));
      }
    }
  });

  it("asks the server nothing when no service is allowed", async () => {
    const { qdrant, store } = await startQdrant();
    await store.publish(exampleHeader, new Set(), streamOf(pool()));
    const before = qdrant.requests.length;

    await store.search(await exampleQuery("pool"), allowServices([]), 10);
    await store.findRunbooks(["pool"], allowServices([]));

    expect(qdrant.requests.length).toBe(before);
  });

  it("calls the host, port and path that the URL names", async () => {
    const { store } = await startQdrant("/behind/a/proxy");

    await store.publish(exampleHeader, new Set(), streamOf(pool()));

    expect(await store.currentIndex()).toMatchObject({ documents: 1 });
  });

  it("keeps one version beside the published one, and clears up after killed runs", async () => {
    const { qdrant, store } = await startQdrant();
    await store.publish(exampleHeader, new Set(), streamOf(pool()));
    (qdrant.collections as Map<string, unknown>).set("runbooks_20260101T000000Z-deadbeef", {
      size: 1,
      indexes: new Set(),
      points: new Map(),
    });
    (qdrant.collections as Map<string, unknown>).set("runbooks_of_others", {
      size: 1,
      indexes: new Set(),
      points: new Map(),
    });

    await store.publish(exampleHeader, new Set(["pool"]), streamOf());
    await store.publish(exampleHeader, new Set(["pool"]), streamOf());

    expect(qdrant.collections.size).toBe(3);
    expect(qdrant.collections.has("runbooks_of_others")).toBe(true);
    expect(qdrant.aliases.size).toBe(1);
  });

  it("goes on after passing failures of the server", async () => {
    const { qdrant, store } = await startQdrant();
    for (const on of ["PUT /collections/", "points/query/batch", "points/scroll"]) {
      qdrant.fault({ on, kind: "status", status: 503 });
      qdrant.fault({ on, kind: "status", status: 429, headers: { "retry-after": "1" } });
    }
    qdrant.fault({ on: "points/count", kind: "drop" });

    await store.publish(exampleHeader, new Set(), streamOf(pool()));
    const found = await store.search(await exampleQuery("pool"), checkout, 10);

    expect(found.runbooks).toHaveLength(1);
  });

  it("names a server that stays away, and keeps the last index", async () => {
    const { qdrant, store } = await startQdrant();
    await store.publish(exampleHeader, new Set(), streamOf(pool()));
    qdrant.fault({ on: "points?", kind: "status", status: 500, times: 99 });
    qdrant.fault({ on: "/points", kind: "status", status: 500, times: 99 });

    await expect(store.publish(exampleHeader, new Set(), streamOf(pool("other")))).rejects.toMatchObject({
      kind: "dependency",
    });
    await expect(store.search(await exampleQuery("pool"), checkout, 10)).rejects.toMatchObject({ kind: "dependency" });

    expect([...qdrant.aliases.values()]).toHaveLength(1);
  });

  it("leaves the last index when it is killed at any request of a publication", { timeout: 60_000 }, async () => {
    const { qdrant, store, reopen } = await startQdrant();
    await store.publish(exampleHeader, new Set(), streamOf(pool()));
    const start = qdrant.requests.length;
    await store.publish(exampleHeader, new Set(), streamOf(pool(), pool("second")));
    const steps = qdrant.requests.slice(start).filter((name) => !name.startsWith("GET") && !name.startsWith("DELETE"));
    const query = await exampleQuery("pool");

    for (const [position] of steps.entries()) {
      let seen = 0;
      const killed = createQdrantPassageStore({ url: qdrant.url, apiKey: null, collection: "runbooks" });
      const stream = (async function* () {
        yield await pool();
        seen += 1;
        if (seen > position) throw new Error("killed");
        yield await pool("second");
      })();
      qdrant.fault({ on: steps[position]?.split("_")[0] ?? "", kind: "status", status: 400 });
      await killed.publish(exampleHeader, new Set(), stream).catch(() => undefined);
      const found = await reopen().search(query, checkout, 10);
      expect(found.runbooks.length).toBeGreaterThan(0);
    }
    const index = await store.publish(exampleHeader, new Set(), streamOf(pool()));
    expect(index.documents).toBe(1);
  });

  it("refuses a collection that another program made", async () => {
    const { qdrant, store } = await startQdrant();
    (qdrant.collections as Map<string, unknown>).set("foreign", { size: 64, indexes: new Set(), points: new Map() });
    (qdrant.aliases as Map<string, string>).set("runbooks", "foreign");

    await expect(store.currentIndex()).rejects.toMatchObject({
      kind: "freshness",
      message: expect.stringContaining("npm run reindex"),
    });
  });
});
