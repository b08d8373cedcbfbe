import { describe, expect, it } from "vitest";

import { buildQuery } from "../../src/answering/build-query.ts";
import { exampleClassification } from "../fakes/example-passage.ts";

describe("the focused query", () => {
  it("joins service, category, summary and evidence", () => {
    const classification = exampleClassification({
      summary: "EU checkout fails after a deployment.",
      evidence: ["database connection refused"],
    });

    expect(buildQuery(classification).text).toBe(
      "checkout-api | database | EU checkout fails after a deployment. | database connection refused",
    );
  });

  it("says so when there is no service, and leaves out what is empty", () => {
    const classification = exampleClassification({
      service: null,
      category: "other",
      summary: "its slow",
      evidence: [],
    });

    expect(buildQuery(classification).text).toBe("unknown service | other | its slow");
  });

  it("searches for each word once, though evidence repeats the summary", () => {
    expect(buildQuery(exampleClassification()).words).toBe("checkout fails, database connection refused");
  });

  it("leaves the thread behind when the message is about another service", () => {
    const turns = ["checkout is slow"];

    expect(buildQuery(exampleClassification(), turns).earlier).toEqual(turns);
    expect(buildQuery(exampleClassification({ changesTopic: true }), turns).earlier).toEqual([]);
  });
});
