import { describe, expect, it } from "vitest";

import type { IndexedRunbook } from "../../src/store/passage-store.ts";
import { exampleHeader, exampleQuery, streamRunbooks } from "../fakes/example-index.ts";
import {
  both,
  build,
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

/** What comes first. */
export function rankingContract(name: string, createPlace: () => Promise<StorePlace>): void {
  describe(`${name}: what comes first`, () => {
    it("puts the runbook first that says what was asked, with its best section first", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, LATENCY, PAYROLL);

      const { runbooks } = await search(store, "restart the slowest worker", both);

      expect(runbooks[0]?.runbook.sourceId).toBe("checkout-latency");
      expect(runbooks[0]?.chunks.map(({ chunk }) => chunk.headingTrail)).toEqual([["Section 2"], ["Section 1"]]);
      expect([...(runbooks[0]?.chunks[0]?.matchedTerms.keys() ?? [])]).toEqual(["restart", "slowest", "worker"]);
    });

    it("adds the four parts up", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, LATENCY, PAYROLL);

      const { runbooks } = await search(store, "count the open connections", both);

      for (const { score, parts } of runbooks.flatMap((runbook) => [runbook, ...runbook.chunks])) {
        const { chunkCosine, summaryCosine, chunkKeywords, runbookKeywords } = parts;
        expect(score).toBeCloseTo(0.5 * (chunkCosine + summaryCosine) + 0.8 * (chunkKeywords + runbookKeywords), 9);
      }
      const [first] = runbooks;
      expect(first?.parts.chunkKeywords).toBeGreaterThan(0.3);
      expect(first?.parts.chunkCosine).toBeGreaterThan(0.3);
    });

    it("orders equal runbooks by source id and equal chunks by their place in the file, every time", async () => {
      const { embedding } = await exampleQuery("zebra");
      const sections = Array.from({ length: 5 }, () => "Count the open connections.");
      const same = ["d", "a", "c", "b", "e"].map((sourceId) => ({ sourceId, title: "Same", sections, embedding }));

      for (const order of [same, same.toReversed()]) {
        const store = (await createPlace()).open();
        await publish(store, ...order);
        const found = await search(store, "zebra");

        expect(idsOf(found)).toEqual(["a", "b", "c", "d", "e"]);
        const starts = found.runbooks.map(({ chunks }) => chunks.map(({ chunk }) => chunk.headingTrail[0]));
        expect(starts).toEqual(same.map(() => [1, 2, 3, 4, 5].map((number) => `Section ${number}`)));
      }
    });

    it("gives no more runbooks than asked for, the best ones", async () => {
      const store = (await createPlace()).open();
      const words = ["one", "two", "three", "four", "five", "six"];
      await publish(store, ...words.map((_, at) => ({ sourceId: `r${at}`, sections: [words.slice(at).join(" ")] })));

      const all = await search(store, "one two three four five six");
      const some = await search(store, "one two three four five six", checkout, 3);

      expect(idsOf(all)).toHaveLength(6);
      expect(idsOf(some)).toEqual(idsOf(all).slice(0, 3));
    });

    it("finds a runbook that is good in every way behind hundreds that are best in one", async () => {
      const store = (await createPlace()).open();
      const { embedding: wanted } = await exampleQuery("open connections");
      const { embedding: other } = await exampleQuery("zebra");
      const near = wanted.map((value, index) => 0.9 * value + 0.3 * (other[index] ?? 0));
      const [example] = await build({ sections: ["Nothing of it."] });
      const runbooks = Array.from({ length: 601 }, (_, index): IndexedRunbook => {
        const sourceId = index === 600 ? "good" : `r${index}`;
        const { runbook, keywords, chunks } = example as IndexedRunbook;
        return {
          runbook: { ...runbook, sourceId },
          summaryEmbedding: index === 600 ? near : index < 300 ? wanted : other,
          keywords,
          chunks: chunks.map((chunk) => ({
            ...chunk,
            chunk: { ...chunk.chunk, sourceId },
            embedding: index === 600 ? near : index < 300 ? other : wanted,
          })),
        };
      });
      await store.publish(exampleHeader(), NONE, streamRunbooks(...runbooks));

      const found = await store.search({ embedding: wanted, terms: new Map() }, checkout, 3);

      expect(idsOf(found)[0]).toBe("good");
    });

    it("searches by embedding alone when the words hold no term", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, LATENCY);
      const { embedding } = await exampleQuery("restart the slowest worker");

      const { runbooks, termIdf } = await store.search({ embedding, terms: new Map() }, checkout, 10);

      expect(runbooks[0]?.runbook.sourceId).toBe("checkout-latency");
      expect(runbooks[0]?.parts.chunkKeywords).toBe(0);
      expect(termIdf.size).toBe(0);
    });

    it("matches words in any script", async () => {
      const store = (await createPlace()).open();
      await publish(
        store,
        CHECKOUT,
        { sourceId: "jp", sections: ["データベース接続を確認"] },
        { sourceId: "fr", sections: ["Réinitialiser l’accès"] },
      );

      expect(idsOf(await search(store, "データベース"))[0]).toBe("jp");
      expect(idsOf(await search(store, "reinitialiser acces"))[0]).toBe("fr");
    });
  });
}
