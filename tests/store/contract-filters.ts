import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { exampleQuery } from "../fakes/example-index.ts";
import {
  both,
  bytesOf,
  checkout,
  CHECKOUT,
  idsOf,
  LATENCY,
  PAYROLL,
  publish,
  search,
  type StorePlace,
} from "./example-store.ts";

/** Who may find what. */
export function filterContract(name: string, createPlace: () => Promise<StorePlace>): void {
  describe(`${name}: who may find what`, () => {
    it("finds nothing for readers who may see no service", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT);
      const nobody = allowServices([]);

      expect(await search(store, "open connections", [])).toEqual({
        runbooks: [],
        termIdf: new Map(),
        indexVersion: "",
      });
      expect(await store.findRunbooks(["checkout-database"], nobody)).toEqual([]);
      expect(await store.chunksOf("checkout-database", nobody)).toEqual([]);
    });

    it("finds nothing for readers of a service that has no runbook", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT);

      expect(idsOf(await search(store, "open connections", ["identity"]))).toEqual([]);
    });

    it("finds runbooks and chunks of the allowed services only", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, PAYROLL);

      expect(idsOf(await search(store, "open connections"))).toEqual(["checkout-database"]);
      expect(idsOf(await search(store, "open connections", ["payroll"]))).toEqual(["payroll-run"]);
      expect(idsOf(await search(store, "open connections", both)).toSorted()).toEqual([
        "checkout-database",
        "payroll-run",
      ]);
    });

    it("tells services apart of which one's name begins another's", async () => {
      const store = (await createPlace()).open();
      await publish(
        store,
        { sourceId: "a", service: "checkout" },
        { sourceId: "b", service: "checkout-api" },
        { sourceId: "c", service: "checkout-api-eu" },
        { sourceId: "d", service: "Checkout-api" },
        { sourceId: "e", service: "checkout api" },
      );

      expect(idsOf(await search(store, "open connections"))).toEqual(["b"]);
      expect((await store.findRunbooks(["a", "b", "c", "d", "e"], checkout)).map(({ sourceId }) => sourceId)).toEqual([
        "b",
      ]);
      expect(await store.chunksOf("c", checkout)).toEqual([]);
    });

    it("finds one allowed chunk among five thousand nearer forbidden ones", async () => {
      const store = (await createPlace()).open();
      const { embedding } = await exampleQuery("open connections");
      const forbidden = Array.from({ length: 50 }, (_, index) => ({
        sourceId: `payroll/${index}`,
        service: "payroll",
        sections: Array.from({ length: 100 }, () => "open connections"),
        embedding,
      }));
      await publish(store, ...forbidden, { ...CHECKOUT, title: "Other", sections: ["Something else entirely."] });

      const found = await search(store, "open connections");

      expect(found.runbooks.map(({ chunks }) => chunks.map(({ chunk }) => chunk.sourceId))).toEqual([
        ["checkout-database"],
      ]);
    });

    it("gives the same to the last digit, whether hidden runbooks are there or not", async () => {
      const [open, crowded] = [(await createPlace()).open(), (await createPlace()).open()];
      const hidden = Array.from({ length: 30 }, (_, index) => ({
        ...PAYROLL,
        sourceId: `checkout-hidden-${index}`,
        sections: ["Count the open connections of the worker.", "connections ".repeat(200)],
      }));
      await publish(open, CHECKOUT, LATENCY);
      await publish(crowded, ...hidden, CHECKOUT, LATENCY);

      for (const words of ["open connections", "restart the slowest worker", "zanzibar ledger", "count", ""]) {
        const [expected, found] = [await search(open, words), await search(crowded, words)];

        expect(bytesOf(found)).toBe(bytesOf(expected));
      }
    });

    it("does not know a word that only a hidden runbook has", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, LATENCY, PAYROLL);

      const { termIdf, runbooks } = await search(store, "zanzibar blahblahword connections");

      expect(termIdf.get("zanzibar")).toBe(termIdf.get("blahblahword"));
      const matched = runbooks.flatMap(({ chunks }) => chunks.flatMap(({ matchedTerms }) => [...matchedTerms.keys()]));
      expect(new Set(matched)).toEqual(new Set(["connect"]));
    });

    it("looks runbooks up by source id behind the same filter", async () => {
      const store = (await createPlace()).open();
      await publish(store, CHECKOUT, LATENCY, PAYROLL);
      const asked = ["payroll-run", "checkout-latency", "checkout-database", "checkout", "absent", "checkout-database"];

      expect((await store.findRunbooks(asked, checkout)).map(({ sourceId }) => sourceId)).toEqual([
        "checkout-database",
        "checkout-latency",
      ]);
      expect(await store.findRunbooks([], checkout)).toEqual([]);
      expect(await store.findRunbooks(["payroll-run"], checkout)).toEqual(
        await store.findRunbooks(["absent"], checkout),
      );
      expect(await store.chunksOf("payroll-run", checkout)).toEqual([]);
      expect(await store.chunksOf("payroll-run", both)).toHaveLength(2);
    });
  });
}
