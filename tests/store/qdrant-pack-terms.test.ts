import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FIELDS } from "../../src/store/bm25f.ts";
import type { KeywordFields } from "../../src/store/passage-store.ts";
import {
  countTerms,
  findRecord,
  hashTerm,
  packTable,
  RECORD_SIZE,
  unpackTable,
} from "../../src/store/qdrant-pack-terms.ts";

const field = fc.record({
  counts: fc.dictionary(fc.string({ minLength: 1 }), fc.integer({ min: 1, max: 70_000 })),
  length: fc.nat(4_000_000_000),
});
const fields = fc.record({ title: field, headings: field, path: field, service: field, body: field });

function toKeywords(source: Record<string, { counts: Record<string, number>; length: number }>): KeywordFields {
  const entries = Object.entries(source).map(([name, { counts, length }]) => [
    name,
    { counts: new Map(Object.entries(counts)), length },
  ]);
  return Object.fromEntries(entries);
}

describe("packed terms", () => {
  it("give back every term's count in every field, up to 65,535, and every length", () => {
    fc.assert(
      fc.property(fields, (source) => {
        const keywords = toKeywords(source);

        const { lengths, records } = unpackTable(packTable(countTerms(keywords)));

        expect([...lengths]).toEqual(FIELDS.map((name) => keywords[name].length));
        for (const term of new Set(FIELDS.flatMap((name) => [...keywords[name].counts.keys()]))) {
          const at = findRecord(records, RECORD_SIZE, hashTerm(term));
          const counts = FIELDS.map((name) => Math.min(keywords[name].counts.get(term) ?? 0, 65_535));
          expect([...records.subarray(at + 3, at + RECORD_SIZE)]).toEqual(counts);
        }
        expect(findRecord(records, RECORD_SIZE, hashTerm("a term of no text"))).toBe(-1);
      }),
    );
  });

  it("are refused when cut off", () => {
    const whole = packTable(
      countTerms(toKeywords(Object.fromEntries(FIELDS.map((name) => [name, { counts: { term: 300 }, length: 1 }])))),
    );
    const cut = Buffer.from(whole, "base64").subarray(0, -1).toString("base64");

    expect(() => unpackTable(cut)).toThrow("damaged");
  });

  it("keep a hundred thousand terms apart", () => {
    const terms = Array.from({ length: 100_000 }, (_, index) =>
      index % 2 === 0 ? `term${index}` : index.toString(36),
    );

    expect(new Set(terms.map(hashTerm)).size).toBe(new Set(terms).size);
  });
});
