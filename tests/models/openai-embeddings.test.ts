import { describe, expect, it } from "vitest";

import type { Config } from "../../src/config.ts";
import { createEmbeddingModel } from "../../src/models/create-embedding-model.ts";
import { createEmbeddingServer, vectorOf, type EmbeddingServer } from "../fakes/embedding-server.ts";

const TEXTS = Array.from({ length: 70 }, (_, number) => `text ${number}`);

function settingsFor(server: Pick<EmbeddingServer, "baseUrl">, more: Partial<Config["models"]> = {}): Config["models"] {
  const { baseUrl } = server;
  return {
    apiKey: "k",
    baseUrl,
    chatModel: null,
    embeddingModel: "some-model",
    embeddingDimensions: null,
    timeoutMs: 2000,
    ...more,
  };
}

/** Before it the probe, and two requests for the model's cosine levels. */
const FIRST_BATCH = 4;

const unit = (vector: readonly number[]) => {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
};
const expected = TEXTS.map((text) => unit(vectorOf(text)));

async function embedAll(server: EmbeddingServer, more: Partial<Config["models"]> = {}): Promise<Float32Array[]> {
  const model = await createEmbeddingModel(settingsFor(server, more));
  return model.embedDocuments(TEXTS);
}

describe("embeddings of a compatible server", () => {
  it("come in the order of the texts, in batches", async () => {
    const server = await createEmbeddingServer();

    const vectors = await embedAll(server);

    expect(vectors).toEqual(expected);
    expect(Math.max(...server.requests.map(({ input }) => input.length))).toBe(64);
    expect(server.requests.every((request) => request.encoding_format === "float")).toBe(true);
  });

  it.each([
    ["refuses more than one text with 400", 1, 400],
    ["refuses more than three texts with 422", 3, 422],
    ["refuses more than ten texts with 413", 10, 413],
  ])("come from a server that %s", async (_name, most, status) => {
    const server = await createEmbeddingServer({
      fault: ({ input }) => (input.length > most ? { status } : null),
    });

    expect(await embedAll(server)).toEqual(expected);
    // The size is found once, not for every batch.
    expect(server.requests.filter(({ input }) => input.length > most).length).toBeLessThan(8);
  });

  it("come from a server that answers the first text only, whatever it is sent", async () => {
    const server = await createEmbeddingServer({ shape: (items) => items.slice(0, 1) });

    expect(await embedAll(server)).toEqual(expected);
  });

  it("keep to EMBEDDING_BATCH_SIZE", async () => {
    const server = await createEmbeddingServer({
      fault: ({ input }) => (input.length > 5 ? { status: 500 } : null),
    });

    expect(await embedAll(server, { embeddingBatchSize: 5 })).toEqual(expected);
  });

  it("are put in the order of their index", async () => {
    const server = await createEmbeddingServer({ shape: (items) => items.toReversed() });

    expect(await embedAll(server)).toEqual(expected);
  });

  it("are read as base64 where the server sends that though floats were asked for", async () => {
    const server = await createEmbeddingServer({
      shape: (items) =>
        items.map((item) => ({
          ...item,
          embedding: Buffer.from(Float32Array.from(item.embedding as number[]).buffer).toString("base64"),
        })),
    });

    expect(await embedAll(server)).toEqual(expected);
  });

  it.each([
    ["an index twice", (items: object[]) => items.map((item) => ({ ...item, index: 0 })), /index twice/],
    ["one vector too many", (items: object[]) => [...items, { ...items[0], index: items.length }], /vectors for/],
    [
      "ragged vectors",
      (items: object[]) => items.map((item, at) => (at === 3 ? { ...item, embedding: [1] } : item)),
      /1 numbers/,
    ],
    [
      "a zero vector",
      (items: object[]) =>
        items.map((item, at) => (at === 3 ? { ...item, embedding: vectorOf("x").map(() => 0) } : item)),
      /zero/,
    ],
    [
      "null for a number",
      (items: object[]) => items.map((item) => ({ ...item, embedding: [null] })),
      /no list of embeddings/,
    ],
    ["no data", () => "sorry", /no list of embeddings/],
  ])("are refused with %s", async (_name, shape, message) => {
    const server = await createEmbeddingServer({
      shape: (items, { input }) => (input.length > 1 ? shape(items) : items),
    });

    await expect(embedAll(server)).rejects.toThrow(message);
  });

  it.each([
    ["429 with Retry-After", { status: 429, headers: { "retry-after": "0" } }],
    ["429 with a date", { status: 429, headers: { "retry-after": new Date(Date.now() - 1000).toUTCString() } }],
    ["503", { status: 503 }],
    ["a lost connection", "hang up"],
  ] as const)("survive %s", async (_name, broken) => {
    const server = await createEmbeddingServer({ fault: (_request, call) => (call === FIRST_BATCH ? broken : null) });

    expect(await embedAll(server)).toEqual(expected);
    // Two batches, and one more for the fault: retries are counted once.
    expect(server.requests).toHaveLength(FIRST_BATCH + 2);
  });

  it("wait as long as Retry-After says", async () => {
    const server = await createEmbeddingServer({
      fault: (_request, call) => (call === FIRST_BATCH ? { status: 429, headers: { "retry-after": "1" } } : null),
    });
    const started = performance.now();

    await embedAll(server);

    expect(performance.now() - started).toBeGreaterThan(1000);
  });

  it.each([
    [401, /OPENAI_API_KEY/],
    [403, /OPENAI_API_KEY/],
    [404, /EMBEDDING_MODEL/],
  ])("say what to correct after %i, at once", async (status, message) => {
    const server = await createEmbeddingServer({ fault: () => ({ status }) });

    await expect(createEmbeddingModel(settingsFor(server))).rejects.toThrow(message);
    expect(server.requests).toHaveLength(1);
  });

  it("say so when nothing is there, and never what was sent", async () => {
    const nobody = { baseUrl: "http://127.0.0.1:9/v1" };

    const failure = await createEmbeddingModel(settingsFor(nobody)).catch((error: unknown) => error);

    expect(String(failure)).toMatch(/OPENAI_BASE_URL/);
    expect(String(failure)).not.toContain("probe of the runbook index");
  });

  it.each([
    ["intfloat/multilingual-e5-small", "query: ", "passage: "],
    ["nomic-embed-text-v1.5", "search_query: ", "search_document: "],
    ["embeddinggemma-300m", "task: search result | query: ", "title: none | text: "],
    ["text-embedding-3-small", "", ""],
  ])("of %s carry its task prefixes, unless they are set", async (embeddingModel, query, document) => {
    const server = await createEmbeddingServer();

    const model = await createEmbeddingModel(settingsFor(server, { embeddingModel }));
    await model.embedQuery("pool");
    await model.embedDocuments(["pool"]);
    const own = await createEmbeddingModel(
      settingsFor(server, { embeddingModel, embeddingQueryPrefix: "ask: ", embeddingDocumentPrefix: "" }),
    );
    await own.embedQuery("pool");
    await own.embedDocuments(["pool"]);

    expect(server.embedded.filter((text) => text.endsWith("pool"))).toEqual([
      `${query}pool`,
      `${document}pool`,
      "ask: pool",
      "pool",
    ]);
  });
});
