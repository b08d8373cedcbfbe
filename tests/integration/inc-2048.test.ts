import { join } from "node:path";

import { beforeAll, describe, expect, it } from "vitest";

import { audienceFor } from "../../src/access/audience.ts";
import { principalFromFile } from "../../src/access/known-principal.ts";
import { readAccessFile } from "../../src/access/read-access-file.ts";
import { buildQuery } from "../../src/answering/build-query.ts";
import { checkCitations } from "../../src/answering/check-citations.ts";
import { classifyByRules } from "../../src/answering/classify-by-rules.ts";
import { createRetriever } from "../../src/answering/retrieve-passages.ts";
import { allowServices } from "../../src/access/allowed-services.ts";
import { catalogueFor } from "../../src/access/access-policy.ts";
import { createAnswering } from "../../src/create-answering.ts";
import { evaluateQuestion } from "../../src/evaluation/evaluate-questions.ts";
import { readQuestions } from "../../src/evaluation/read-questions.ts";
import { summariseOutcomes } from "../../src/evaluation/summarise-outcomes.ts";
import { indexRunbooks } from "../../src/indexing/index-runbooks.ts";
import { createEmbeddingModel } from "../../src/models/create-embedding-model.ts";
import type { EmbeddingModel } from "../../src/models/embedding-model.ts";
import { openEmbeddingCache } from "../../src/store/embedding-cache.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";

// The sample runbooks with the real embedding model: what a newcomer sees.
const ROOT = join(import.meta.dirname, "../..");
const policy = readAccessFile(join(ROOT, "access.yaml"));
const INCIDENT =
  'INC-2048: EU checkout requests fail after the 14:05 deployment, checkout-api logs show "database connection refused"';
const noModels = {
  apiKey: null,
  baseUrl: null,
  chatModel: null,
  embeddingModel: null,
  embeddingDimensions: null,
  timeoutMs: 8000,
};

let store: PassageStore;
let embeddingModel: EmbeddingModel;
beforeAll(async () => {
  // Kept between runs: embedding the sample runbooks takes some seconds.
  const data = join(ROOT, "node_modules/.cache/runbook-bot-tests");
  embeddingModel = await createEmbeddingModel(noModels);
  store = createSqlitePassageStore(join(data, "index.sqlite"));
  const cache = openEmbeddingCache(join(data, "embeddings.sqlite"), embeddingModel.info);
  const directory = join(ROOT, "runbooks");
  await indexRunbooks({ directory, policy, store, embeddingModel, cache, full: false, skipBad: false });
  cache.close();
}, 120_000);

async function ask(userId: string, text: string, channelId: string | null = null, thread: string[] = []) {
  const answering = createAnswering({ policy: () => policy, store, embeddingModel, chat: null, modelBudgetMs: 8000 });
  const kind = channelId === null ? "direct_message" : "channel";
  const audience = audienceFor(policy, principalFromFile(policy, userId), {
    channelId,
    kind,
    shared: false,
    members: null,
  });
  return answering({ text, thread }, audience);
}

describe("INC-2048, step by step", () => {
  it("is classified, focused, found, recommended and checked", async () => {
    const allowed = allowServices(["checkout-api", "payments", "identity"]);
    const classification = classifyByRules({ text: INCIDENT, thread: [] }, catalogueFor(policy, allowed));
    const query = buildQuery(classification);
    const found = await createRetriever({ store, embeddingModel, policy: () => policy })(query, allowed);

    expect(classification).toMatchObject({ ticketId: "INC-2048", service: "checkout-api", category: "database" });
    expect(query.text).toMatch(/^checkout-api \| database \| .*INC-2048.* \| database connection refused$/);
    expect(found.passages.length).toBeGreaterThanOrEqual(1);
    expect(found.passages.length).toBeLessThanOrEqual(4);
    expect(new Set(found.passages.map(({ sourceId }) => sourceId))).toEqual(new Set(["checkout-database"]));

    const fabricated = { text: "Restart it.", sourceId: "not-returned", quote: "Restart it." };
    const draft = {
      explanation: "A fabricated answer about nothing.",
      nextChecks: [fabricated],
      sourceIds: ["not-returned"],
      needsHumanReview: false,
    };
    expect(checkCitations(draft, found.passages, classification)).toMatchObject({ kind: "rejected" });
  });

  it("gives Alice the first checks of the checkout runbook, in order", async () => {
    const { shared, callerOnly } = await ask("U0ALICE", INCIDENT, "C0INC2048");

    expect(callerOnly).toBeNull();
    expect(shared.kind).toBe("answered");
    const checks = shared.kind === "answered" ? shared.recommendation.nextChecks : [];
    expect(checks.map(({ sourceId }) => sourceId)).toEqual(Array.from({ length: 4 }, () => "checkout-database"));
    expect(checks.map(({ text }) => text.split(/[ :]/)[0])).toEqual(["Compare", "Ask", "Read", "Check"]);
  });

  it("gives Bob nothing of it, in the same words as for nonsense", async () => {
    const incident = await ask("U0BOB", INCIDENT, "C0INC2048");
    const nonsense = await ask("U0BOB", "sternwarze zirbelt krumpf", "C0INC2048");
    const shown = ({ shared }: typeof incident) =>
      shared.kind === "no_match"
        ? [shared.closest, shared.askInstead, shared.warnings, shared.classification.service]
        : shared.kind;

    expect(incident.shared.kind).toBe("no_match");
    expect(shown(incident)).toEqual(shown(nonsense));
    expect(incident.callerOnly).toBeNull();
  });

  it("carries the thread's subject to a follow-up", async () => {
    const { shared } = await ask("U0ALICE", "What about the pool limit?", "C0INC2048", [INCIDENT]);
    const [first] = shared.kind === "answered" ? shared.passages : [];

    expect(first).toMatchObject({ sourceId: "checkout-database", headingTrail: ["Connection pool"] });
  });
});

describe("the labelled questions", () => {
  it.each([
    ["checkout fails, database connection refused", "checkout-database"],
    ["payments are slow since an hour", "payment-latency"],
    ["people cannot sign in, sso loops", "identity-access"],
  ])("finds the runbook for %j among the first two", async (text, relevant) => {
    const question = { id: "q", text, thread: [], kind: "plain", relevant: [relevant], forbidden_services: [] };
    const retrieve = createRetriever({ store, embeddingModel, policy: () => policy });

    const { places } = await evaluateQuestion(question, { policy, retrieve, baselines: new Map() });

    expect(places[0]).toBeLessThanOrEqual(2);
  });

  it("stay above the floor that was recorded for them", async () => {
    const retrieve = createRetriever({ store, embeddingModel, policy: () => policy });
    const outcomes = [];
    for (const question of await readQuestions(join(ROOT, "tests/evaluation/questions.jsonl"))) {
      outcomes.push(await evaluateQuestion(question, { policy, retrieve, baselines: new Map() }));
    }
    const { overall, refusal, leaks } = summariseOutcomes(outcomes);

    expect(leaks).toBe(0);
    expect(overall.hitAt1.mean).toBeGreaterThanOrEqual(0.79);
    expect(overall.hitAt3.mean).toBeGreaterThanOrEqual(0.96);
    expect(refusal.answerableAnswered).toBeGreaterThanOrEqual(0.78);
    expect(refusal.unanswerableRefused).toBeGreaterThanOrEqual(0.84);
  });
});
