import { describe, expect, it } from "vitest";

import type { IndexedRunbook } from "../../src/store/passage-store.ts";
import { exampleHeader, exampleQuery, streamRunbooks } from "../fakes/example-index.ts";
import {
  both,
  build,
  bytesOf,
  checkout,
  CHECKOUT,
  idsOf,
  LATENCY,
  NONE,
  PAYROLL,
  publish,
  search,
  type StorePlace,
} from "./example-store.ts";

/** One index after another. */
export function publishingContract(name: string, createPlace: () => Promise<StorePlace>): void {
  describe(`${name}: publishing`, () => {
    it("has no index before the first one, and says how to make it", async () => {
      const store = (await createPlace()).open();

      expect(await store.currentIndex()).toBeNull();
      expect(await store.listRunbooks()).toEqual([]);
      await expect(search(store, "connections")).rejects.toMatchObject({
        kind: "freshness",
        message: expect.stringContaining("npm run reindex") as string,
      });
      await expect(store.findRunbooks(["a"], checkout)).rejects.toMatchObject({ kind: "freshness" });
      await expect(store.chunksOf("a", checkout)).rejects.toMatchObject({ kind: "freshness" });
    });

    it("carries kept runbooks over, takes changed ones, and drops the rest", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, LATENCY, PAYROLL);
      const changed = await build({ ...LATENCY, sections: ["Drain the turbine."] });

      const second = await store.publish(exampleHeader(), new Set(["checkout-database"]), streamRunbooks(...changed));

      expect(second).toMatchObject({ documents: 2, chunks: 3 });
      expect((await store.listRunbooks()).map(({ sourceId }) => sourceId)).toEqual([
        "checkout-database",
        "checkout-latency",
      ]);
      expect(idsOf(await search(store, "payroll zanzibar", both)).toSorted()).toEqual([
        "checkout-database",
        "checkout-latency",
      ]);
      expect((await store.chunksOf("checkout-latency", both)).map(({ text }) => text)).toEqual([
        "## Section 1\n\nDrain the turbine.",
      ]);
      expect(await store.chunksOf("payroll-run", both)).toEqual([]);
    });

    it("answers alike from carried-over runbooks and from the same ones indexed anew", async () => {
      const [carried, anew] = [(await createPlace()).open(), (await createPlace()).open()];
      await publish(carried, PAYROLL, CHECKOUT, LATENCY);
      await carried.publish(exampleHeader(), new Set(["checkout-database", "checkout-latency"]), streamRunbooks());
      await publish(anew, CHECKOUT, LATENCY);

      for (const words of ["open connections", "slowest worker", "count the queue"]) {
        expect(bytesOf(await search(carried, words))).toBe(bytesOf(await search(anew, words)));
      }
    });

    it("moves a runbook to another service", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, LATENCY);
      const moved = await build({ ...CHECKOUT, service: "payroll" });

      await store.publish(exampleHeader(), new Set(["checkout-latency"]), streamRunbooks(...moved));

      expect(idsOf(await search(store, "open connections"))).toEqual(["checkout-latency"]);
      expect(await store.findRunbooks(["checkout-database"], checkout)).toEqual([]);
      expect((await store.chunksOf("checkout-database", both)).map(({ service }) => service)).toEqual([
        "payroll",
        "payroll",
      ]);
    });

    it("publishes again and again; readers always see the last one", async () => {
      const place = await createPlace();
      const [writer, reader] = [place.open(), place.open()];
      const versions: string[] = [];

      for (const round of [1, 2, 3, 4]) {
        const { version } = await publish(writer, { ...CHECKOUT, sections: [`Round ${round}.`] });
        versions.push(version);
        expect((await reader.currentIndex())?.version).toBe(version);
        expect((await reader.chunksOf("checkout-database", checkout))[0]?.text).toContain(`Round ${round}.`);
      }
      expect(new Set(versions).size).toBe(4);
    });

    it("leaves the old index when the runbooks break off, and publishes the next time", async () => {
      const store = (await createPlace()).open();
      const first = await publish(store, CHECKOUT);
      const [latency] = await build(LATENCY);
      async function* breaking() {
        yield latency as IndexedRunbook;
        throw new Error("the embedding model went away");
      }

      await expect(store.publish(exampleHeader(), new Set(["checkout-database"]), breaking())).rejects.toThrow();

      expect((await store.currentIndex())?.version).toBe(first.version);
      expect(idsOf(await search(store, "slowest worker"))).toEqual(["checkout-database"]);
      await publish(store, LATENCY);
      expect(idsOf(await search(store, "slowest worker"))).toEqual(["checkout-latency"]);
    });

    it("publishes an index of another width beside the old one", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT);
      const [latency] = await build(LATENCY);
      const wide = Float32Array.from({ length: 96 }, (_, index) => (index === 0 ? 1 : 0));
      const runbook = {
        ...latency,
        summaryEmbedding: wide,
        chunks: latency?.chunks.map((chunk) => ({ ...chunk, embedding: wide })),
      };
      const { model } = exampleHeader();

      await store.publish(
        exampleHeader({ model: { ...model, dimensions: 96 } }),
        NONE,
        streamRunbooks(runbook as IndexedRunbook),
      );

      const found = await store.search(await exampleQuery("slowest worker", wide), checkout, 10);
      expect(found.runbooks[0]?.parts.chunkCosine).toBeCloseTo(1, 5);
      await expect(search(store, "slowest worker")).rejects.toThrow();
    });
  });
}
