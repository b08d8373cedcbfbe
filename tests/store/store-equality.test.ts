import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import type { SearchResult } from "../../src/store/passage-store.ts";
import { createQdrantPassageStore } from "../../src/store/qdrant-passage-store.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { exampleHeader, exampleQuery, exampleRunbook, streamRunbooks } from "../fakes/example-index.ts";
import { createQdrantStandIn } from "../fakes/qdrant/qdrant-stand-in.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";

const SERVICES = ["checkout-api", "payroll", "identity", "search", "billing"];

/** Repeatable numbers from 0 to 1 (a linear congruential generator). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
}

/** Words as texts have them: few are frequent, most are rare. */
function writeText(random: () => number, words: number): string {
  return Array.from({ length: words }, () => `w${Math.floor(600 ** random())}`).join(" ");
}

function partsOf({ runbooks }: SearchResult) {
  return runbooks.flatMap((runbook) =>
    [runbook, ...runbook.chunks].map(({ score, parts }) => [score, ...(Object.values(parts) as number[])]),
  );
}

/** Order, up to runbooks whose scores can't be told apart. */
function namesOf({ runbooks }: SearchResult) {
  return runbooks.map(({ runbook, chunks }) => [
    runbook,
    chunks.map(({ chunk, matchedTerms }) => [chunk, [...matchedTerms.keys()]]),
  ]);
}

describe("both stores", () => {
  it("give the same runbooks, chunks and scores for the same filters", async () => {
    const random = createRandom(7);
    const server = await createQdrantStandIn();
    const qdrant = createQdrantPassageStore({ url: server.url, apiKey: null, collection: "runbooks" });
    const sqlite = createSqlitePassageStore(join(temporaryDirectory(), "index.sqlite"));
    onTestFinished(() => sqlite.close());
    const runbooks = await Promise.all(
      Array.from({ length: 400 }, (_, index) =>
        exampleRunbook({
          sourceId: `runbook-${index}`,
          service: SERVICES[Math.floor(random() * SERVICES.length)] ?? "",
          title: writeText(random, 1 + Math.floor(random() * 6)),
          sections: Array.from({ length: 1 + Math.floor(random() * 5) }, () =>
            writeText(random, 3 + Math.floor(random() * 80)),
          ),
        }),
      ),
    );
    for (const store of [sqlite, qdrant]) await store.publish(exampleHeader(), new Set(), streamRunbooks(...runbooks));

    let widest = 0;
    for (let question = 0; question < 60; question += 1) {
      const services = allowServices(SERVICES.filter(() => random() < 0.6));
      const query = await exampleQuery(writeText(random, 1 + Math.floor(random() * 12)));
      server.requests.length = 0;

      const [expected, found] = [await sqlite.search(query, services, 10), await qdrant.search(query, services, 10)];

      widest = Math.max(widest, server.requests.length);
      expect(namesOf(found)).toEqual(namesOf(expected));
      const [left, right] = [partsOf(found).flat(), partsOf(expected).flat()];
      left.forEach((value, at) => expect(Math.abs(value - (right[at] ?? Number.NaN))).toBeLessThan(1.1e-5));
      expect([...found.termIdf]).toEqual([...expected.termIdf]);
    }
    // Some questions need more than one round of exact scores: the bounds were at work.
    expect(widest).toBeGreaterThan(4);
  });
});
