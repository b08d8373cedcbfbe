import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { FIELDS } from "../../src/store/bm25f.ts";
import {
  appendPostings,
  packPostings,
  postingId,
  RECORD_SIZE,
  viewPostings,
  withoutTexts,
  type Posting,
} from "../../src/store/pack-postings.ts";

const posting = fc.record({
  id: fc.integer({ min: 0, max: 0xff_ff_ff_ff }),
  counts: fc.array(fc.nat(70_000), { minLength: FIELDS.length, maxLength: FIELDS.length }),
});

function unpack(data: Uint8Array): Posting[] {
  const records = viewPostings(data);
  return Array.from({ length: records.length / RECORD_SIZE }, (_, index) => ({
    id: postingId(records, index * RECORD_SIZE),
    counts: [...records.subarray(index * RECORD_SIZE + 2, (index + 1) * RECORD_SIZE)],
  }));
}

function saturated(postings: readonly Posting[]): Posting[] {
  return postings.map(({ id, counts }) => ({ id, counts: counts.map((count) => Math.min(count, 65_535)) }));
}

describe("packed postings", () => {
  it("give back every id and count, up to 65,535", () => {
    fc.assert(
      fc.property(fc.array(posting), (postings) => {
        expect(unpack(packPostings(postings))).toEqual(saturated(postings));
      }),
    );
  });

  it("can be read from any place in memory", () => {
    const packed = packPostings([{ id: 70_000, counts: [1, 2, 3, 4, 5] }]);
    const shifted = new Uint8Array(packed.byteLength + 1);
    shifted.set(packed, 1);

    expect(unpack(shifted.subarray(1))).toEqual([{ id: 70_000, counts: [1, 2, 3, 4, 5] }]);
  });

  it("lose the texts that went, and are nothing without any", () => {
    const counts = [1, 0, 0, 0, 2];
    const packed = packPostings([1, 70_000, 3].map((id) => ({ id, counts })));

    expect(unpack(withoutTexts(packed, new Set([70_000])) ?? new Uint8Array())).toEqual(
      [1, 3].map((id) => ({ id, counts })),
    );
    expect(withoutTexts(packed, new Set([1, 3, 70_000]))).toBeNull();
    expect(withoutTexts(packed, new Set([9]))).toEqual(packed);
  });

  it("take more at their end", () => {
    const [first, second] = [
      { id: 1, counts: [1, 1, 1, 1, 1] },
      { id: 2, counts: [2, 2, 2, 2, 2] },
    ];

    expect(unpack(appendPostings(packPostings([first]), packPostings([second])))).toEqual([first, second]);
  });
});
