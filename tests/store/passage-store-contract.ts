import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import type { IndexedRunbook, PassageStore, SearchResult } from "../../src/store/passage-store.ts";
import { exampleHeader, exampleQuery, exampleRunbook, streamOf } from "../fakes/example-index.ts";

/** A store of its own for one test, and another handle on the same data. */
export interface StoreUnderTest {
  readonly store: PassageStore;
  readonly reopen: () => PassageStore;
}

const POOL = {
  sourceId: "checkout/pool",
  title: "Checkout pool exhausted",
  texts: ["Count the pool connections.", "Raise the pool limit to 400."],
};
const CART = {
  sourceId: "checkout/cart",
  title: "Carts are empty",
  texts: ["Look at the cart cache.", "The pool of carts is small."],
};
const LEDGER = {
  sourceId: "payments/ledger",
  service: "payments",
  title: "Ledger drift",
  texts: ["Reconcile the sternwarte ledger pool.", "Pool pool pool limit."],
};
const PREFIX = {
  sourceId: "fraud/rules",
  service: "checkout-fraud",
  title: "Fraud rules block the pool",
  texts: ["Count the pool connections."],
};

const only = (...services: string[]) => allowServices(services);
const idsOf = ({ runbooks }: SearchResult) => runbooks.map(({ runbook }) => runbook.sourceId);
const scoresOf = ({ runbooks }: SearchResult) =>
  runbooks.map(({ runbook, score, parts, chunks }) => [
    runbook.sourceId,
    score,
    parts,
    chunks.map((chunk) => [chunk.chunk.startIndex, chunk.score, [...chunk.matchedTerms.keys()]]),
  ]);

async function publish(
  store: PassageStore,
  runbooks: readonly Parameters<typeof exampleRunbook>[0][],
  kept: readonly string[] = [],
) {
  return store.publish(exampleHeader, new Set(kept), streamOf(...runbooks.map(exampleRunbook)));
}

/** Both stores run this: the same filters give the same answers. */
export function passageStoreContract(name: string, createStore: () => Promise<StoreUnderTest>): void {
  describe(`the ${name} store`, () => {
    it("has no index before one is published", async () => {
      const { store } = await createStore();

      expect(await store.currentIndex()).toBeNull();
      await expect(store.search(await exampleQuery("pool"), only("checkout"), 10)).rejects.toMatchObject({
        kind: "freshness",
      });
    });

    it("gives what was published, verbatim and in order", async () => {
      const { store, reopen } = await createStore();
      const version = await publish(store, [POOL, LEDGER]);

      expect(version).toMatchObject({ documents: 2, chunks: 4 });
      expect(await reopen().currentIndex()).toEqual(version);
      const chunks = await store.chunksOf("checkout/pool", only("checkout"));
      expect(chunks.map(({ text, startLine, headingTrail }) => [text, startLine, headingTrail])).toEqual([
        ["Count the pool connections.", 1, ["Part 0"]],
        ["Raise the pool limit to 400.", 2, ["Part 1"]],
      ]);
      expect((await store.listRunbooks()).map(({ sourceId }) => sourceId)).toEqual([
        "checkout/pool",
        "payments/ledger",
      ]);
    });

    it("finds the runbook that is near in meaning and in words, with its best chunk first", async () => {
      const { store } = await createStore();
      await publish(store, [CART, POOL]);

      const found = await store.search(await exampleQuery("raise the pool limit"), only("checkout"), 10);

      expect(idsOf(found)).toEqual(["checkout/pool", "checkout/cart"]);
      expect(found.runbooks[0]?.chunks[0]?.chunk.text).toBe("Raise the pool limit to 400.");
    });

    it("finds nothing without allowed services, and nothing of a service that is not allowed", async () => {
      const { store } = await createStore();
      await publish(store, [POOL, LEDGER]);
      const query = await exampleQuery("sternwarte ledger pool");

      expect(idsOf(await store.search(query, only(), 10))).toEqual([]);
      expect(idsOf(await store.search(query, only("nowhere"), 10))).toEqual([]);
      expect(idsOf(await store.search(query, only("checkout"), 10))).toEqual(["checkout/pool"]);
      expect(idsOf(await store.search(query, only("payments"), 10))).toEqual(["payments/ledger"]);
    });

    it("compares services whole: a name that begins alike is another service", async () => {
      const { store } = await createStore();
      await publish(store, [POOL, PREFIX]);
      const query = await exampleQuery("fraud pool");

      expect(idsOf(await store.search(query, only("checkout"), 10))).toEqual(["checkout/pool"]);
      expect(idsOf(await store.search(query, only("checkout-fraud"), 10))).toEqual(["fraud/rules"]);
      expect(idsOf(await store.search(query, only("check"), 10))).toEqual([]);
    });

    it("looks runbooks up by id behind the same filter", async () => {
      const { store } = await createStore();
      await publish(store, [POOL, LEDGER]);

      const wanted = ["payments/ledger", "checkout/pool", "nowhere"];
      expect((await store.findRunbooks(wanted, only("checkout"))).map(({ sourceId }) => sourceId)).toEqual([
        "checkout/pool",
      ]);
      expect(await store.findRunbooks(wanted, only())).toEqual([]);
      expect(await store.chunksOf("payments/ledger", only("checkout"))).toEqual([]);
    });

    it("gives the same scores whether hidden runbooks exist or not", async () => {
      const query = await exampleQuery("pool limit sternwarte");
      const alone = await createStore();
      await publish(alone.store, [POOL, CART]);
      const crowded = await createStore();
      const hidden = Array.from({ length: 40 }, (_, number) => ({ ...LEDGER, sourceId: `payments/${number}` }));
      await publish(crowded.store, [...hidden, POOL, CART]);

      const [left, right] = await Promise.all(
        [alone, crowded].map(({ store }) => store.search(query, only("checkout"), 10)),
      );

      expect(JSON.stringify(scoresOf(left!))).toBe(JSON.stringify(scoresOf(right!)));
      expect([...left!.termIdf]).toEqual([...right!.termIdf]);
    });

    it("finds the one allowed text among many nearer ones that are not allowed", async () => {
      const { store } = await createStore();
      const nearer = Array.from({ length: 150 }, (_, number) => ({
        ...LEDGER,
        sourceId: `payments/${number}`,
        texts: ["raise the pool limit"],
      }));
      await publish(store, [...nearer, CART]);

      const found = await store.search(await exampleQuery("raise the pool limit"), only("checkout"), 10);

      expect(idsOf(found)).toEqual(["checkout/cart"]);
    });

    it("keeps ties in a stable order", async () => {
      const { store } = await createStore();
      const twins = ["c", "a", "b"].map((letter) => ({ ...POOL, sourceId: `checkout/${letter}`, title: "Twin" }));
      await publish(store, twins);

      const found = await store.search(await exampleQuery("raise limit"), only("checkout"), 10);

      expect(idsOf(found)).toEqual(["checkout/a", "checkout/b", "checkout/c"]);
    });

    it("carries kept runbooks over, adds changed ones and forgets the rest", async () => {
      const { store } = await createStore();
      await publish(store, [POOL, CART, LEDGER]);
      const query = await exampleQuery("pool sternwarte cart limit");
      const moved = { ...CART, service: "payments" };

      await publish(store, [moved], ["checkout/pool"]);
      const inSteps = await store.search(query, only("checkout", "payments"), 10);
      await publish(store, [POOL, moved]);
      const atOnce = await store.search(query, only("checkout", "payments"), 10);

      expect(idsOf(inSteps).toSorted()).toEqual(["checkout/cart", "checkout/pool"]);
      expect(scoresOf(inSteps)).toEqual(scoresOf(atOnce));
      expect(idsOf(await store.search(query, only("payments"), 10))).toEqual(["checkout/cart"]);
    });

    it("keeps the last index when a new one breaks off", async () => {
      const { store, reopen } = await createStore();
      const version = await publish(store, [POOL]);
      async function* broken(): AsyncGenerator<IndexedRunbook> {
        yield await exampleRunbook(CART);
        throw new Error("the embedding server is gone");
      }

      await expect(store.publish(exampleHeader, new Set(["checkout/pool"]), broken())).rejects.toThrow();

      expect(await store.currentIndex()).toEqual(version);
      const found = await reopen().search(await exampleQuery("cart pool"), only("checkout"), 10);
      expect(idsOf(found)).toEqual(["checkout/pool"]);
    });

    it("serves what another process published, without being opened anew", async () => {
      const { store, reopen } = await createStore();
      await publish(store, [POOL]);
      const reader = reopen();
      await reader.search(await exampleQuery("pool"), only("checkout"), 10);

      await publish(store, [CART]);
      const query = await exampleQuery("cart");
      await expect
        .poll(async () => idsOf(await reader.search(query, only("checkout"), 10)), { timeout: 5000 })
        .toEqual(["checkout/cart"]);
    });

    it("holds any letters", async () => {
      const { store } = await createStore();
      const text = '支付失败 🔥 Müller\'s `a(b` "ERR-4012" \u{1F468}\u{200D}\u{1F469} <!channel> % _';
      await publish(store, [{ sourceId: "a b #1/ü%20", title: text, texts: [text] }]);

      const found = await store.search(await exampleQuery(`${text} '" OR 1=1 --`), only("checkout"), 10);

      expect(found.runbooks[0]?.chunks[0]?.chunk).toMatchObject({ sourceId: "a b #1/ü%20", title: text, text });
    });

    it("answers a query without words by meaning alone", async () => {
      const { store } = await createStore();
      await publish(store, [POOL]);
      const { embedding } = await exampleQuery("pool");

      const found = await store.search({ embedding, terms: new Map() }, only("checkout"), 10);

      expect(found.runbooks[0]).toMatchObject({ parts: { chunkKeywords: 0, runbookKeywords: 0 } });
    });
  });
}
