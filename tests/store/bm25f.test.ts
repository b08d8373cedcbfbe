import { describe, expect, it } from "vitest";

import { CHUNK_SCHEME, FIELDS, inverseFrequency, termShares, termWeight } from "../../src/store/bm25f.ts";

const statistics = { texts: 10, averageLengths: [4, 4, 4, 4, 40] };
const inField = (field: (typeof FIELDS)[number], count: number) => FIELDS.map((name) => (name === field ? count : 0));
const weigh = (counts: number[], lengths = [4, 4, 4, 4, 40]) =>
  termWeight(CHUNK_SCHEME, statistics, counts, 0, lengths, 0);

describe("the weight of a term in a text", () => {
  it("is that of the formula, for a body of average length", () => {
    expect(weigh(inField("body", 2))).toBeCloseTo((2 * 2.6) / (2 + 1.6), 12);
    expect(weigh(inField("title", 1))).toBeCloseTo((1.5 * 2.6) / (1.5 + 1.6), 12);
  });

  it("is nothing where the term does not stand", () => {
    expect(weigh(FIELDS.map(() => 0))).toBe(0);
  });

  it("grows with every occurrence, ever less, and never reaches k + 1", () => {
    const weights = [1, 2, 4, 8, 1000].map((count) => weigh(inField("body", count)));

    expect(weights).toEqual(weights.toSorted((left, right) => left - right));
    expect((weights[1] ?? 0) - (weights[0] ?? 0)).toBeGreaterThan((weights[2] ?? 0) - (weights[1] ?? 0) - 0.3);
    expect(weights.at(-1)).toBeLessThan(CHUNK_SCHEME.k + 1);
  });

  it("is higher in a short text than in a long one", () => {
    expect(weigh(inField("body", 1), [4, 4, 4, 4, 10])).toBeGreaterThan(weigh(inField("body", 1), [4, 4, 4, 4, 400]));
  });

  it("takes fields whose average length is nothing as they are", () => {
    const none = { texts: 0, averageLengths: [0, 0, 0, 0, 0] };

    expect(termWeight(CHUNK_SCHEME, none, inField("body", 1), 0, [0, 0, 0, 0, 9], 0)).toBeCloseTo(1, 12);
  });

  it("reads counts and lengths from where they begin", () => {
    const counts = [9, 9, ...inField("body", 2)];

    expect(termWeight(CHUNK_SCHEME, statistics, counts, 2, [7, 4, 4, 4, 4, 40], 1)).toBe(weigh(inField("body", 2)));
  });
});

describe("the rarity of a term", () => {
  it("is higher the fewer texts hold it, and never negative", () => {
    expect(inverseFrequency(10, 0)).toBeCloseTo(Math.log(22), 12);
    expect(inverseFrequency(10, 1)).toBeGreaterThan(inverseFrequency(10, 2));
    expect(inverseFrequency(10, 10)).toBeGreaterThan(0);
    expect(inverseFrequency(0, 0)).toBeGreaterThan(0);
  });
});

describe("the shares of a query's terms", () => {
  it("add up so that a text of nothing but them would score 1", () => {
    const shares = termShares(
      CHUNK_SCHEME,
      new Map([
        ["a", 1],
        ["b", 2],
      ]),
      new Map([
        ["a", 3],
        ["b", 0.5],
      ]),
    );
    const sum = shares.values().reduce((total, share) => total + share * (CHUNK_SCHEME.k + 1), 0);

    expect(sum).toBeCloseTo(1, 12);
    expect([...shares.keys()]).toEqual(["a", "b"]);
    expect((shares.get("a") ?? 0) / (shares.get("b") ?? 1)).toBeCloseTo(3, 12);
  });

  it("are none for a query without terms", () => {
    expect(termShares(CHUNK_SCHEME, new Map(), new Map()).size).toBe(0);
  });
});
