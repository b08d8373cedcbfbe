import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { createAnswering } from "../../src/create-answering.ts";
import type { Answer } from "../../src/domain.ts";
import { createEmbeddingModel } from "../../src/models/create-embedding-model.ts";
import { createWorld } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["checkout/*.md"], readers: [core] }
  payments: { owner: core, runbooks: ["payments/*.md"], readers: [core] }
  vault: { owner: core, runbooks: ["vault/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
links: { url: "https://git.example.test/pages/{path}#L{line}" }
`;
const steps = (title: string, ...lines: string[]) =>
  `# ${title}\n\n## First checks\n\n${lines.map((line, at) => `${at + 1}. ${line}\n`).join("")}`;
const RUNBOOKS = {
  "checkout/pool.md": steps("Checkout pool exhausted", "Count the connections of the pool with `pool count`."),
  "checkout/CheckoutQueueStalled.md": steps("Queue alarms", "Look at the oldest order in the queue."),
  "checkout/rollback.md": steps("Roll back checkout", "Run `shipctl back checkout` with the last good release."),
  "payments/rollback.md": steps("Roll back payments", "Run `payctl back` and tell the bank desk."),
  "payments/PaymentsRollback.md": steps("Undo payments", ...Array.from({ length: 6 }, (_, at) => `Undo part ${at}.`)),
  "payments/move.md": steps(
    "Move the ledger",
    ...Array.from(
      { length: 17 },
      (_, at) => `Do part ${at + 1} of the move: ${"copy, count and compare the rows; ".repeat(4)}`,
    ),
    "Tell the auditors that the ledger move is over.",
  ),
  "payments/codes.md": steps("Error codes of the provider", "ERR_PAY_1043 means that the provider refused the card."),
  "payments/copy.md": steps("Pool of payments exhausted", "Count the connections of the pool with `pool count`."),
  "vault/seal.md": steps("Vault is sealed", "Unseal the vault with the key of the day."),
};

const miniLm = createEmbeddingModel({
  apiKey: null,
  baseUrl: null,
  chatModel: null,
  embeddingModel: null,
  embeddingDimensions: null,
  timeoutMs: 8000,
});

async function asking(services = ["checkout", "payments"]) {
  const world = await createWorld({ runbooks: RUNBOOKS, access: ACCESS, embeddingModel: await miniLm });
  await world.index();
  const { policy, store, embeddingModel } = world;
  const answer = createAnswering({ policy: () => policy, store, embeddingModel, chat: null, modelBudgetMs: 8000 });
  const allowed = allowServices(services);
  return async (text: string, links: string[] = []): Promise<Answer> =>
    (await answer({ text, thread: [], links }, { shared: allowed, caller: allowed })).shared;
}

const cited = (answer: Answer) => (answer.kind === "answered" ? answer.recommendation.sourceIds : answer.kind);

describe("finding", () => {
  it.each([
    "https://git.example.test/pages/checkout/pool.md",
    "https://git.example.test/pages/checkout/pool.md#L7",
    "https://wiki.example.test/x/y/checkout/pool.html?open=1",
  ])("follows a link to the runbook it names: %s", async (link) => {
    const ask = await asking();

    expect(cited(await ask("[FIRING:1] Something (prod)", [link]))).toEqual(["checkout/pool"]);
    expect(cited(await ask(`alert: runbook_url = <${link}>`))).toEqual(["checkout/pool"]);
  });

  it("takes a link to a hidden runbook for a link to nothing", async () => {
    const ask = await asking();

    const hidden = await ask("please look", ["https://git.example.test/pages/vault/seal.md"]);
    const absent = await ask("please look", ["https://git.example.test/pages/vault/sail.md"]);

    expect({ ...hidden, timings: null }).toEqual({ ...absent, timings: null });
  });

  it("finds an alert's runbook by its file's name, whatever the rest says", async () => {
    const ask = await asking();

    expect(cited(await ask("CheckoutQueueStalled pool pool connections"))).toEqual(["checkout/CheckoutQueueStalled"]);
  });

  it("covers every name of a grouped alert in one answer", async () => {
    const ask = await asking();

    const answer = await ask(
      "[FIRING:3] prod\n- alertname = CheckoutQueueStalled\n- alertname = PaymentsRollback\n- alertname = CheckoutQueueStalled",
    );

    expect(cited(answer)).toEqual(["checkout/CheckoutQueueStalled", "payments/PaymentsRollback"]);
  });

  it("joins a long procedure that was cut in two, from its first step on", async () => {
    const ask = await asking();

    const answer = await ask("payments ledger move: tell the auditors that the ledger move is over");

    expect(answer).toMatchObject({ kind: "answered", recommendation: { sourceIds: ["payments/move"] } });
    if (answer.kind !== "answered") return;
    const starts = answer.passages
      .filter(({ sourceId }) => sourceId === "payments/move")
      .map(({ startIndex }) => startIndex);
    expect(starts.length).toBeGreaterThan(1);
    expect(starts).toEqual(starts.toSorted((left, right) => left - right));
    expect(answer.recommendation.nextChecks[0]?.text).toContain("part 1 of the move");
  });

  it("never answers a code with its neighbour", async () => {
    const ask = await asking();

    expect(cited(await ask("payments: error code ERR_PAY_1043 of the provider"))).toEqual(["payments/codes"]);
    expect((await ask("payments: error code ERR_PAY_1042 of the provider")).kind).toBe("no_match");
  });

  it("asks back when the question fits several services, and not when it names one", async () => {
    const ask = await asking();

    expect(await ask("how do i roll back")).toMatchObject({ kind: "clarify", services: ["checkout", "payments"] });
    expect(cited(await ask("how do i roll back payments"))).toContain("payments/rollback");
  });

  it("offers only services that the readers may see", async () => {
    const ask = await asking(["checkout"]);

    expect((await ask("how do i roll back")).kind).toBe("answered");
  });

  it("shows the same text once, from the service asked about", async () => {
    const ask = await asking();

    const answer = await ask("payments pool exhausted, count the connections of the pool");

    expect(cited(answer)).toEqual(["payments/copy"]);
  });

  it("answers the parts of a question from two runbooks, and names the part that none answers", async () => {
    const ask = await asking();

    const both = await ask(
      "the checkout pool is exhausted. how do i count connections of the pool? how do i roll back payments?",
    );
    const half = await ask(
      "the checkout pool is exhausted. how do i count connections of the pool? where are the christmas biscuits baked?",
    );

    expect(cited(both)).toEqual(expect.arrayContaining(["checkout/pool", "payments/rollback"]));
    expect(half).toMatchObject({ kind: "answered", uncovered: ["where are the christmas biscuits baked"] });
  });
});
