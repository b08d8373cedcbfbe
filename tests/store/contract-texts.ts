import { describe, expect, it } from "vitest";

import type { IndexedRunbook } from "../../src/store/passage-store.ts";
import { exampleHeader, streamRunbooks } from "../fakes/example-index.ts";
import {
  build,
  checkout,
  CHECKOUT,
  LATENCY,
  NONE,
  PAYROLL,
  publish,
  search,
  type StorePlace,
} from "./example-store.ts";

/** What was indexed comes back as it was. */
export function textContract(name: string, createPlace: () => Promise<StorePlace>): void {
  describe(`${name}: what was indexed`, () => {
    it("gives a runbook's chunks in file order, verbatim and with all that is known of them", async () => {
      const store = (await createPlace()).open();
      const sections = Array.from(
        { length: 12 },
        (_, index) => `Step ${index}: "quoted"\t\r\n\u0000  \u{1F525} é e\u0301 \\n ${"x".repeat(index)}`,
      );
      const [runbook] = await build({ ...CHECKOUT, title: "Tïtle “quoted”", sections });
      await store.publish(exampleHeader(), NONE, streamRunbooks(runbook as IndexedRunbook));

      const chunks = await store.chunksOf("checkout-database", checkout);

      expect(chunks).toEqual(runbook?.chunks.map(({ chunk }) => chunk));
    });

    it("finds a text that holds half a character, without failing", async () => {
      const store = (await createPlace()).open();
      await publish(store, { ...CHECKOUT, sections: ["broken \uD83D emoji"] });

      expect(await store.chunksOf("checkout-database", checkout)).toHaveLength(1);
      expect(await store.findRunbooks(["\uD83D"], checkout)).toEqual([]);
      expect(await store.chunksOf("\uD83D", checkout)).toEqual([]);
    });

    it("lists every runbook with its metadata, by source id", async () => {
      const store = (await createPlace()).open();
      const built = await build(PAYROLL, { ...CHECKOUT, owner: "commerce", contentHash: "a".repeat(64) }, LATENCY);
      await store.publish(exampleHeader(), NONE, streamRunbooks(...built));

      const [payroll, database, latency] = built.map(({ runbook }) => runbook);
      expect(await store.listRunbooks()).toEqual([database, latency, payroll]);
    });

    it("says what the index is: header, version, counts", async () => {
      const store = (await createPlace()).open();
      const header = exampleHeader({
        commit: "abc",
        complete: false,
        failures: [{ path: "a.md", line: 3, reason: "bäd" }],
      });

      const published = await store.publish(header, NONE, streamRunbooks(...(await build(CHECKOUT, PAYROLL))));

      expect(published).toEqual({ ...header, version: published.version, documents: 2, chunks: 4 });
      expect(await store.currentIndex()).toEqual(published);
      expect((await search(store, "connections")).indexVersion).toBe(published.version);
    });
  });
}
