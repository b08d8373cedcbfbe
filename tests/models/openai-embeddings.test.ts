import { describe, expect, it } from "vitest";

import type { Config } from "../../src/config.ts";
import { createEmbeddingModel } from "../../src/models/create-embedding-model.ts";
import { refusedTextOf } from "../../src/models/explain-embedding-failure.ts";
import { createEmbeddingServer, DIMENSIONS, vectorOf, type EmbeddingServer } from "../fakes/embedding-server.ts";

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
      "an index left out",
      (items: object[]) => items.map((item, at) => (at === 3 ? { ...item, index: items.length } : item)),
      /or missing/,
    ],
    [
      "no index at all",
      (items: object[]) => items.map((item) => ({ ...item, index: undefined })),
      /EMBEDDING_BATCH_SIZE=1/,
    ],
    [
      "null for a number",
      (items: object[]) => items.map((item) => ({ ...item, embedding: [null] })),
      /neither numbers nor base64/,
    ],
    [
      "words for a vector",
      (items: object[]) => items.map((item) => ({ ...item, embedding: "not base64!" })),
      /neither numbers nor base64/,
    ],
    [
      "not a number in base64",
      (items: object[]) =>
        items.map((item) => ({ ...item, embedding: Buffer.alloc(4 * DIMENSIONS, 0xff).toString("base64") })),
      /not finite/,
    ],
    ["no data", () => "sorry", /no list of embeddings/],
  ])("are refused with %s", async (_name, shape, message) => {
    const server = await createEmbeddingServer({
      shape: (items, { input }) => (input.length > 1 ? shape(items) : items),
    });

    const failure = await embedAll(server).catch((error: unknown) => error);

    expect(String(failure)).toMatch(message);
    expect(String(failure)).toContain(server.baseUrl);
  });

  it("are refused with a number beyond all numbers, and with text that is no JSON", async () => {
    const replies = ['{"data":[{"index":0,"embedding":[1e999,1]}]}', "<html>", '{"data":'];
    const failures = replies.map(async (body) => {
      const server = await createEmbeddingServer({ fault: () => ({ status: 200, body }) });
      return createEmbeddingModel(settingsFor(server)).catch((error: unknown) => String(error));
    });

    expect(await Promise.all(failures)).toEqual([
      expect.stringContaining("not finite"),
      expect.stringContaining("no JSON"),
      expect.stringContaining("no JSON"),
    ]);
  });

  it("are refused when there is none for a single text, and nobody asks for ever", async () => {
    const server = await createEmbeddingServer({ shape: (items) => items.slice(0, items.length - 1) });

    await expect(createEmbeddingModel(settingsFor(server))).rejects.toThrow("gave 0 vectors for 1 texts");
    expect(server.requests).toHaveLength(1);
  });

  it("do without an index where single texts are asked for", async () => {
    const server = await createEmbeddingServer({
      shape: (items) => items.map((item) => ({ ...item, index: undefined })),
    });

    expect(await embedAll(server, { embeddingBatchSize: 1 })).toEqual(expected);
  });

  it("of another width than EMBEDDING_DIMENSIONS are refused, and say what to correct", async () => {
    const server = await createEmbeddingServer();

    await expect(embedAll(server, { embeddingDimensions: 16 })).rejects.toThrow(
      /32 numbers, not 16 as EMBEDDING_DIMENSIONS says/,
    );
    expect(server.requests[0]?.dimensions).toBe(16);
  });

  it.each([
    ["429 without Retry-After", { status: 429 }],
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

  it("wait no longer than a minute: a server that asks for an hour is named at once", async () => {
    const server = await createEmbeddingServer({ fault: () => ({ status: 429, headers: { "retry-after": "3600" } }) });

    await expect(createEmbeddingModel(settingsFor(server))).rejects.toThrow(/429, and asks for a pause of 3600 s/);
    expect(server.requests).toHaveLength(1);
  });

  it("do not wait for a quota that is used up", async () => {
    const body = '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}';
    const server = await createEmbeddingServer({ fault: () => ({ status: 429, body }) });

    await expect(createEmbeddingModel(settingsFor(server))).rejects.toThrow(/quota is used up/);
    expect(server.requests).toHaveLength(1);
  });

  it("give a server up after a few attempts, none of them multiplied", async () => {
    const server = await createEmbeddingServer({ fault: () => ({ status: 503 }) });

    await expect(createEmbeddingModel(settingsFor(server))).rejects.toThrow("(503)");
    expect(server.requests).toHaveLength(4);
  });

  it("for a question do not wait for a body that never ends", async () => {
    const server = await createEmbeddingServer({ fault: (_request, call) => (call < FIRST_BATCH ? null : "stall") });
    const model = await createEmbeddingModel(settingsFor(server, { timeoutMs: 400 }));
    const started = performance.now();

    await expect(model.embedQuery("pool")).rejects.toThrow("did not answer");

    expect(performance.now() - started).toBeLessThan(2000);
  });

  it.each([
    ["a pause", { status: 429, headers: { "retry-after": "20" } }],
    ["a request", "stall"],
  ] as const)("can be stopped in %s", async (_name, fault) => {
    const stop = new AbortController();
    const server = await createEmbeddingServer({
      fault: (_request, call) => {
        if (call < FIRST_BATCH) return null;
        setTimeout(() => stop.abort(new Error("told to stop")), 50);
        return fault;
      },
    });
    const model = await createEmbeddingModel(settingsFor(server), stop.signal);
    const started = performance.now();

    await expect(model.embedDocuments(TEXTS)).rejects.toThrow();

    expect(performance.now() - started).toBeLessThan(2000);
    expect(server.requests).toHaveLength(FIRST_BATCH);
  });

  describe.each([
    [
      "OpenAI",
      400,
      "This model's maximum context length is 512 tokens, however you requested 900 tokens",
      "context_length_exceeded",
    ],
    [
      "text-embeddings-inference",
      413,
      "Input validation error: `inputs` must have less than 512 tokens. Given: 900",
      "",
    ],
    [
      "llama.cpp",
      500,
      "input (900 tokens) is too large to process. increase the physical batch size (current batch size: 512)",
      "",
    ],
  ])("of a text that is too long for %s", (_name, status, message, code) => {
    const limited = () =>
      createEmbeddingServer({
        fault: ({ input }) =>
          input.some((text) => text.length > 1500)
            ? { status, body: JSON.stringify({ error: { message, code } }) }
            : null,
      });

    it("are not given: the failure names the limit, and no request is made in vain", async () => {
      const server = await limited();
      const model = await createEmbeddingModel(settingsFor(server));
      const texts = TEXTS.with(40, "x".repeat(1600));

      const failure = await model.embedDocuments(texts).catch((error: unknown) => error);

      expect(String(failure)).toMatch(
        /refused a text of 1600 characters as too long for some-model \(it reads 512 tokens\)/,
      );
      expect(refusedTextOf(failure)).toBe(40);
      expect(server.requests.length).toBeLessThan(60);
    });

    it("are those of its beginning, for a question", async () => {
      const server = await limited();
      const model = await createEmbeddingModel(settingsFor(server));

      expect(await model.embedQuery("y".repeat(5000))).toEqual(unit(vectorOf("y".repeat(1250))));
    });
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
