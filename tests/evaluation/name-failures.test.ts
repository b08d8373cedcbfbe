import { expect, test } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import type { RunbookMetadata } from "../../src/domain.ts";
import type { QuestionOutcome } from "../../src/evaluation/evaluate-questions.ts";
import { nameFailures } from "../../src/evaluation/name-failures.ts";

const runbook = (sourceId: string, service: string): RunbookMetadata => ({
  sourceId,
  path: `${sourceId}.md`,
  title: sourceId,
  service,
  contentHash: "",
  owner: null,
  lastReviewed: null,
});
const indexed = new Map(
  [runbook("pool", "checkout"), runbook("hidden", "vault"), runbook("edited", "checkout")].map((each) => [
    each.sourceId,
    each,
  ]),
);

function outcome(relevant: string[], places: number[], refused = false): QuestionOutcome {
  const question = { id: "q", text: "?", thread: [], kind: "plain", relevant, forbidden_services: [] };
  return {
    question,
    places,
    refused,
    answerable: relevant.length > 0,
    allowed: allowServices(["checkout"]),
  } as unknown as QuestionOutcome;
}

test.each([
  ["nothing went wrong", outcome(["pool"], [3]), null],
  ["the wanted one is far down", outcome(["pool"], [4]), "ranking"],
  ["the wanted one is nowhere", outcome(["pool"], []), "ranking"],
  ["the wanted one was withheld", outcome(["pool"], [1], true), "refused"],
  ["the wanted one is not indexed", outcome(["gone"], []), "indexing"],
  ["the asker may not open it", outcome(["hidden"], []), "permission"],
  ["its file says something else now", outcome(["edited#Checks"], []), "freshness"],
  ["nothing answers it, and something came", outcome([], []), "answered"],
  ["nothing answers it, and nothing came", outcome([], [], true), null],
] as const)("when %s, the failure is %s", (_name, given, expected) => {
  const [miss] = nameFailures([given], indexed, new Set(["edited.md"]));

  expect(miss?.name ?? null).toBe(expected);
});
