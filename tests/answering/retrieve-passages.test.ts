import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { createRetriever } from "../../src/answering/retrieve-passages.ts";
import type { FocusedQuery } from "../../src/domain.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { createFakeEmbeddingModel } from "../fakes/fake-embedding-model.ts";
import { createWorld } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const RUNBOOKS = { "pool.md": "# Pool exhausted\n\n1. Count the pool connections.\n" };
const POOL: FocusedQuery = {
  text: "pool",
  words: "pool exhausted, count the connections",
  earlier: [],
  inEnglish: null,
  service: null,
  links: [],
};
const policy = () => ({ glossary: new Map() });

async function indexed() {
  const world = await createWorld({ runbooks: RUNBOOKS, access: ACCESS });
  await world.index();
  return world;
}

describe("the retriever", () => {
  it("gives passages with their place and score", async () => {
    const { store, embeddingModel } = await indexed();

    const found = await createRetriever({ store, embeddingModel, policy })(POOL, allowServices(["checkout"]));

    expect(found).toMatchObject({
      relevance: "answer",
      passages: [{ sourceId: "pool", startIndex: 0, startLine: 1, service: "checkout" }],
    });
  });

  it("asks neither the store nor the model when nothing is allowed", async () => {
    const untouched = new Proxy({}, { get: () => expect.unreachable() });

    const retrieve = createRetriever({ store: untouched as never, embeddingModel: untouched as never, policy });

    expect(await retrieve(POOL, allowServices([]))).toMatchObject({ relevance: "nothing", passages: [] });
  });

  it("refuses the index of another model that is published while the question is embedded", async () => {
    const world = await indexed();
    const other = await createFakeEmbeddingModel("other-words");
    const embeddingModel = {
      ...world.embeddingModel,
      embedQuery: async (text: string) => {
        await world.index({ embeddingModel: other });
        return world.embeddingModel.embedQuery(text);
      },
    };

    const asked = createRetriever({ store: world.store, embeddingModel, policy })(POOL, allowServices(["checkout"]));

    await expect(asked).rejects.toMatchObject({ kind: "freshness", message: expect.stringContaining("other-words") });
  });

  it("refuses an index that another model of the same name and width made", async () => {
    const { store, embeddingModel } = await indexed();
    const other = await createFakeEmbeddingModel("other-words");
    const disguised = { ...other, info: { ...other.info, name: embeddingModel.info.name } };

    const asked = createRetriever({ store, embeddingModel: disguised, policy })(POOL, allowServices(["checkout"]));

    await expect(asked).rejects.toMatchObject({
      kind: "freshness",
      message: expect.stringContaining("npm run reindex"),
    });
  });

  it.each(["sourceId", "title", "service", "text"] as const)(
    "throws when a passage comes back without its %s",
    async (field) => {
      const { store, embeddingModel } = await indexed();
      const broken: PassageStore = {
        ...store,
        async search(...asked) {
          const found = await store.search(...asked);
          const strip = (chunk: object) => ({ ...chunk, [field]: field === "service" ? "checkout" : "" }) as never;
          const runbooks = found.runbooks.map((runbook) => ({
            ...runbook,
            chunks: runbook.chunks.map((one) => ({ ...one, chunk: strip(one.chunk) })),
          }));
          return field === "service"
            ? { ...found, runbooks: runbooks.map((one) => ({ ...one, runbook: { ...one.runbook, service: "" } })) }
            : { ...found, runbooks };
        },
      };

      const asked = createRetriever({ store: broken, embeddingModel, policy })(POOL, allowServices(["checkout"]));

      await expect(asked).rejects.toMatchObject({ name: "PipelineError" });
    },
  );

  it("widens a question by the team's glossary", async () => {
    const { store, embeddingModel } = await indexed();
    const glossary = { glossary: new Map([["tank", ["pool", "exhausted", "connections"]]]) };
    const query = { ...POOL, words: "the tank is broken" };

    const plain = await createRetriever({ store, embeddingModel, policy })(query, allowServices(["checkout"]));
    const widened = await createRetriever({ store, embeddingModel, policy: () => glossary })(
      query,
      allowServices(["checkout"]),
    );

    expect(widened.runbooks[0]?.score).toBeGreaterThan(plain.runbooks[0]?.score ?? 0);
  });
});
