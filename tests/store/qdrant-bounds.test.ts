import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { CHUNK_SCHEME, FIELDS, RUNBOOK_SCHEME, termWeight } from "../../src/store/bm25f.ts";
import { mostAbove, REFERENCE_CHUNK, REFERENCE_RUNBOOK } from "../../src/store/qdrant-bounds.ts";

const perField = <T>(values: fc.Arbitrary<T>) =>
  fc.array(values, { minLength: FIELDS.length, maxLength: FIELDS.length });

describe("the bound on keyword scores", () => {
  it("is never below the true weight, whatever the averages of the allowed services are", () => {
    const averages = perField(fc.double({ min: 0.01, max: 3000, noNaN: true }));
    const counts = perField(fc.nat(300));
    const lengths = perField(fc.nat(20_000));

    fc.assert(
      fc.property(averages, counts, lengths, (averageLengths, count, length) => {
        const actual = { texts: 9, averageLengths };
        for (const [scheme, reference] of [
          [CHUNK_SCHEME, REFERENCE_CHUNK],
          [RUNBOOK_SCHEME, REFERENCE_RUNBOOK],
        ] as const) {
          const most = mostAbove(actual, reference) * termWeight(scheme, reference, count, 0, length, 0);
          expect(termWeight(scheme, actual, count, 0, length, 0)).toBeLessThanOrEqual(most + 1e-9);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
