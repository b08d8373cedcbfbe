import type { Classification, Passage } from "../../src/domain.ts";

/** A passage as the retriever gives it; state only what matters. */
export function examplePassage(overrides: Partial<Passage> = {}): Passage {
  return {
    sourceId: "checkout-database",
    title: "Checkout database connections",
    service: "checkout-api",
    path: "checkout-database.md",
    headingTrail: ["First checks"],
    startIndex: 40,
    startLine: 5,
    text: "## First checks\n\n1. Count connections: `poolctl count`.\n2. Compare with the limit: `poolctl limit`.",
    score: 1,
    commit: null,
    secrets: [],
    ...overrides,
  } as Passage;
}

export function exampleClassification(overrides: Partial<Classification> = {}): Classification {
  return {
    isIncident: true,
    ticketId: null,
    summary: "checkout fails, database connection refused",
    category: "database",
    severity: null,
    service: "checkout-api",
    confidence: 0.9,
    evidence: ["database connection refused"],
    missingInformation: [],
    changesTopic: false,
    language: "en",
    inEnglish: null,
    ...overrides,
  };
}
