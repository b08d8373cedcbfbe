import { describe, expect, it } from "vitest";

import { checkCitations } from "../../src/answering/check-citations.ts";
import type { DraftRecommendation, NextCheck, Passage } from "../../src/domain.ts";
import { exampleClassification, examplePassage } from "../fakes/example-passage.ts";

const TEXT = `## First checks

1. Count the open connections of the pool: \`poolctl count --since 10m\`.
2. Compare them with the pool limit of 400; do not restart the pooler.

> **Warning:** the next step loses sessions. Ask data-platform first.

3. Drop idle sessions: \`poolctl drop --idle\`.`;
const passage = examplePassage({ text: TEXT });
const COUNT = "Count the open connections of the pool: `poolctl count --since 10m`.";
const EXPLANATION = "The incident and this runbook both speak of refused database connections.";

function check(
  nextChecks: readonly Partial<NextCheck>[],
  overrides: Partial<DraftRecommendation> = {},
  passages: Passage[] = [passage],
) {
  const draft: DraftRecommendation = {
    explanation: EXPLANATION,
    nextChecks: nextChecks.map((one) => ({
      text: one.text ?? one.quote ?? "",
      sourceId: "checkout-database",
      quote: COUNT,
      ...one,
    })),
    sourceIds: ["checkout-database"],
    needsHumanReview: false,
    ...overrides,
  };
  return checkCitations(draft, passages, exampleClassification());
}
const textsOf = (result: ReturnType<typeof check>) =>
  result.kind === "grounded" ? result.recommendation.nextChecks.map(({ text }) => text) : result.reason;

describe("the citation check", () => {
  it("lets a runbook's own words through", () => {
    expect(check([{ quote: COUNT }])).toMatchObject({
      kind: "grounded",
      dropped: 0,
      recommendation: { needsHumanReview: false },
    });
  });

  it("lets a check in other words through that uses only what its quote says", () => {
    const text = "Count the pool's open connections with `poolctl count --since 10m`.";

    expect(textsOf(check([{ text }]))).toEqual([text]);
  });

  it("makes the quote verbatim where the model joined its lines", () => {
    const result = check([{ text: COUNT, quote: COUNT.replace("open connections", "open\n   connections") }]);

    expect(result).toMatchObject({ kind: "grounded", recommendation: { nextChecks: [{ quote: COUNT }] } });
  });

  it.each<[string, Partial<NextCheck>]>([
    ["a source that was not returned", { sourceId: "not-returned" }],
    ["a fabricated quote", { quote: "Reboot the whole region at once." }],
    [
      "a quote put together from two places",
      { quote: "Count the open connections of the pool; do not restart the pooler." },
    ],
    ["a quote of another source", { sourceId: "other" }],
    ["an empty quote", { text: "Look at the pool.", quote: "" }],
    ["another option", { text: "Count the open connections: `poolctl count --since 60m`." }],
    ["another command", { text: "Count the open connections of the pool: `poolctl purge`." }],
    ["a number of its own", { text: "Count the open connections of the pool, the limit is 500." }],
    ["a host of its own", { text: "Count the open connections of the pool on db-7.example.test." }],
    ["an address of its own", { text: "Count the open connections of the pool, see https://evil.example.test/x." }],
    ["a claim that it was done", { text: "I have checked the open connections of the pool." }],
    ["a claim in the passive", { text: "The open connections of the pool were already checked." }],
    ["a mention", { text: "Count the open connections of the pool and tell <!channel>." }],
    ["a link", { text: "Count the open connections of the [pool](https://x.test)." }],
    ["another subject", { text: "Ask the marketing team for their opinion." }],
    [
      "a lost negation",
      {
        text: "Compare with the pool limit of 400; restart the pooler.",
        quote: "Compare them with the pool limit of 400; do not restart the pooler.",
      },
    ],
    [
      "a destructive verb of its own",
      { text: "Count the open connections of the pool and terminate them.", quote: COUNT },
    ],
    [
      "a step without its warning",
      { text: "Drop the idle sessions: `poolctl drop --idle`.", quote: "Drop idle sessions: `poolctl drop --idle`." },
    ],
  ])("refuses %s", (_name, distorted) => {
    const other = examplePassage({ sourceId: "other", text: "Something else entirely, word for word." });

    expect(textsOf(check([distorted], {}, [passage, other]))).toBe("no_supported_check");
  });

  it("drops the bad check, keeps the good one and asks for a human", () => {
    const result = check([{ quote: COUNT }, { text: "Run `rm -rf /`." }], {
      sourceIds: ["checkout-database", "not-returned"],
    });

    expect(textsOf(result)).toEqual([COUNT]);
    expect(result).toMatchObject({
      dropped: 1,
      recommendation: { needsHumanReview: true, sourceIds: ["checkout-database"] },
    });
  });

  it("asks for a human before a destructive step, with its warning", () => {
    const quote = TEXT.slice(TEXT.indexOf("> **Warning"), TEXT.length);

    expect(check([{ quote }])).toMatchObject({ kind: "grounded", recommendation: { needsHumanReview: true } });
  });

  it("puts steps back into the runbook's order", () => {
    const limit = "Compare them with the pool limit of 400; do not restart the pooler.";

    expect(textsOf(check([{ quote: limit }, { quote: COUNT }]))).toEqual([COUNT, limit]);
  });

  it("gives at most four checks", () => {
    const result = check(Array.from({ length: 6 }, () => ({ quote: COUNT })));

    expect(textsOf(result)).toHaveLength(4);
  });

  it.each([
    ["too short", "Because."],
    ["too long", "The pool ".repeat(80)],
    ["a number of its own", "This runbook fits because 731 connections are open in the pool."],
    ["a source of its own", "See hidden/ledger-keys for this incident about the pool."],
    ["a claim", "I have already checked the pool and it is healthy, so go on."],
  ])("refuses an explanation that is %s", (_name, explanation) => {
    expect(textsOf(check([{ quote: COUNT }], { explanation }))).toBe("unsupported_explanation");
  });

  it("lets a translated check through that keeps its command", () => {
    const text = "Comptez les connexions ouvertes : `poolctl count --since 10m`.";

    expect(textsOf(check([{ text }]))).toEqual([text]);
  });
});
