import { describe, expect, it, test } from "vitest";

import { bootstrapMean, mcNemar } from "../../src/evaluation/bootstrap.ts";
import { compareOutcomes } from "../../src/evaluation/compare-outcomes.ts";
import { matchesLabel, relevantPlaces } from "../../src/evaluation/match-labels.ts";

describe("the bootstrap interval", () => {
  it("is the mean itself when all values are the same", () => {
    expect(bootstrapMean([1, 1, 1, 1])).toEqual({ low: 1, high: 1 });
  });

  it("comes near the normal approximation for many values, and is the same in every run", () => {
    const values = Array.from({ length: 400 }, (_, index) => (index % 4 === 0 ? 1 : 0));
    // 0.25 ± 1.96 · sqrt(0.25 · 0.75 / 400)
    const { low, high } = bootstrapMean(values);

    expect(low).toBeCloseTo(0.2076, 1);
    expect(high).toBeCloseTo(0.2924, 1);
    expect(high - low).toBeGreaterThan(0.07);
    expect(bootstrapMean(values)).toEqual({ low, high });
  });

  it("is nothing without values", () => {
    expect(bootstrapMean([])).toEqual({ low: 0, high: 0 });
  });
});

// Two-sided binomial tests of the discordant pairs, by hand.
test.each([
  [0, 0, 1],
  [5, 5, 1],
  [1, 0, 1],
  [6, 0, 2 / 64],
  [0, 6, 2 / 64],
  [9, 1, (2 * 11) / 1024],
])("McNemar's exact test of %i wins and %i losses gives %d", (wins, losses, p) => {
  expect(mcNemar(wins, losses)).toBeCloseTo(p, 9);
});

test("a comparison tells wins from losses, question by question", () => {
  const ours = new Map([
    ["a", 1],
    ["b", 3],
    ["c", null],
    ["only ours", 1],
  ]);
  const theirs = new Map([
    ["a", 2],
    ["b", 1],
    ["c", 3],
    ["only theirs", 1],
  ]);

  const { questions, within, mrrDifference } = compareOutcomes(ours, theirs);

  expect(questions).toBe(3);
  expect(within).toMatchObject([
    { places: 1, wins: ["a"], losses: ["b"] },
    { places: 3, wins: [], losses: ["c"] },
  ]);
  expect(mrrDifference).toBeCloseTo((1 - 1 / 2 + (1 / 3 - 1) - 1 / 3) / 3, 9);
});

test("labels count once each, by runbook or by section", () => {
  const entry = (sourceId: string, ...headings: string[]) => ({ label: sourceId, sourceId, headings });
  const ranked = [entry("x"), entry("faq", "Delivery"), entry("faq", "Returns"), entry("faq", "Returns")];

  expect(relevantPlaces(ranked, ["faq#Returns"])).toEqual([3]);
  expect(relevantPlaces(ranked, ["faq", "x"])).toEqual([1, 2]);
  expect(relevantPlaces(ranked, ["nobody"])).toEqual([]);
  expect(matchesLabel(entry("faq", "Delivery"), "faq#Delivery")).toBe(true);
});
