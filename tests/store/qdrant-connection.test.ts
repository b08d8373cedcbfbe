import { afterEach, describe, expect, it, vi } from "vitest";

import { ConfigurationError } from "../../src/errors.ts";
import { createQdrantPassageStore, type QdrantOptions } from "../../src/store/qdrant-passage-store.ts";
import { exampleHeader, exampleRunbook, streamRunbooks } from "../fakes/example-index.ts";
import { createQdrantStandIn } from "../fakes/qdrant/qdrant-stand-in.ts";

const collection = "runbooks";

async function createWorld(options: QdrantOptions = {}) {
  const server = await createQdrantStandIn();
  return { server, store: createQdrantPassageStore({ url: server.url, apiKey: null, collection }, options) };
}

async function took(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

describe("reaching Qdrant", () => {
  afterEach(() => vi.unstubAllGlobals());

  for (const [url, called] of [
    ["https://qdrant.example", "https://qdrant.example/aliases"],
    ["http://qdrant.example", "http://qdrant.example/aliases"],
    ["http://qdrant.example:7000/prefix", "http://qdrant.example:7000/prefix/aliases"],
    ["https://qdrant.example/a/b/", "https://qdrant.example/a/b/aliases"],
  ] as const) {
    it(`calls ${called} for ${url}`, async () => {
      const urls: string[] = [];
      vi.stubGlobal("fetch", async (address: string) => {
        urls.push(address);
        return Response.json({ result: { aliases: [], collections: [] } });
      });

      await createQdrantPassageStore({ url, apiKey: null, collection }).currentIndex();

      expect(urls[0]).toBe(called);
    });
  }

  it("publishes and reads below a path prefix, with the key in its header", async () => {
    const { url, requests } = await createQdrantStandIn({ apiKey: "secret-key", prefix: "/vectors/qdrant" });
    const store = createQdrantPassageStore({ url, apiKey: "secret-key", collection });

    await store.publish(exampleHeader(), new Set(), streamRunbooks(await exampleRunbook()));

    expect(await store.listRunbooks()).toHaveLength(1);
    expect(requests.some(({ path }) => path.startsWith("/outside"))).toBe(false);
  });

  it("names the variable when the key is wrong, never the key", async () => {
    const { url, requests } = await createQdrantStandIn({ apiKey: "secret-key" });
    const store = createQdrantPassageStore({ url, apiKey: "wrong-key", collection });

    const failure = await store.currentIndex().catch((error: unknown) => error);

    expect(failure).toMatchObject({ kind: "dependency", message: expect.stringContaining("QDRANT_API_KEY") as string });
    expect(JSON.stringify(failure) + String(failure)).not.toContain("wrong-key");
    expect(requests).toHaveLength(1);
  });

  it("takes no password in the address", () => {
    expect(() => createQdrantPassageStore({ url: "http://a:b@qdrant", apiKey: null, collection })).toThrow(
      ConfigurationError,
    );
  });

  it("says that Qdrant is away", async () => {
    const store = createQdrantPassageStore({ url: "http://127.0.0.1:9", apiKey: null, collection });

    await expect(store.currentIndex()).rejects.toMatchObject({
      kind: "dependency",
      message: expect.stringContaining("http://127.0.0.1:9") as string,
    });
  });

  it("refuses what answers but is no Qdrant", async () => {
    const { server, store } = await createWorld();
    server.faults.push({ body: "<html>Log in</html>" });

    await expect(store.currentIndex()).rejects.toMatchObject({ kind: "dependency" });
  });
});

describe("a slow or busy Qdrant", () => {
  it("waits as many milliseconds as it says, and asks a slow server once", async () => {
    const { server, store } = await createWorld({ reading: { timeoutMs: 200 } });
    server.faults.push({ delayMs: 1000 });

    const elapsed = await took(() => expect(store.currentIndex()).rejects.toMatchObject({ kind: "dependency" }));

    expect(elapsed).toBeGreaterThan(190);
    expect(elapsed).toBeLessThan(900);
    expect(server.requests).toHaveLength(1);
  });

  it("gets an answer that comes within the time", async () => {
    const { server, store } = await createWorld({ reading: { timeoutMs: 3000 } });
    server.faults.push({ delayMs: 1000 });

    expect(await store.currentIndex()).toBeNull();
  });

  for (const status of [429, 500, 502, 503]) {
    it(`asks again after ${status}`, async () => {
      const { server, store } = await createWorld();
      server.faults.push({ status }, { status, body: "<html>" });

      expect(await store.currentIndex()).toBeNull();
      expect(server.requests.filter(({ path }) => path === "/aliases")).toHaveLength(3);
    });
  }

  it("asks again when the connection breaks", async () => {
    const { server, store } = await createWorld();
    server.faults.push({ connection: "refused" }, { connection: "lost" });

    expect(await store.currentIndex()).toBeNull();
  });

  it("gives up after its attempts", async () => {
    const { server, store } = await createWorld();
    server.faults.push(...Array.from({ length: 9 }, () => ({ status: 503 })));

    await expect(store.currentIndex()).rejects.toMatchObject({ kind: "dependency", context: { status: 503 } });
    expect(server.requests).toHaveLength(3);
  });

  for (const [form, header] of [
    ["seconds", () => "1"],
    ["a date", () => new Date(Date.now() + 2000).toUTCString()],
  ] as const) {
    it(`waits as long as Retry-After asks, in ${form}`, async () => {
      const { server, store } = await createWorld({ reading: { longestPauseMs: 5000 } });
      server.faults.push({ status: 429, headers: { "retry-after": header() } });

      const elapsed = await took(() => store.currentIndex());

      expect(elapsed).toBeGreaterThan(950);
      expect(elapsed).toBeLessThan(2900);
    });
  }

  it("does not make a person wait the thirty seconds that a server asks for", async () => {
    const { server, store } = await createWorld();
    server.faults.push({ status: 429, headers: { "retry-after": "30" } });

    const elapsed = await took(() => expect(store.currentIndex()).rejects.toMatchObject({ kind: "dependency" }));

    expect(elapsed).toBeLessThan(1000);
    expect(server.requests).toHaveLength(1);
  });

  it("asks once what is refused, and says why", async () => {
    const { server, store } = await createWorld();
    server.faults.push({ status: 400, body: JSON.stringify({ status: { error: "Wrong input: no such thing" } }) });

    await expect(store.currentIndex()).rejects.toMatchObject({
      kind: "dependency",
      message: expect.stringContaining("no such thing") as string,
    });
    expect(server.requests).toHaveLength(1);
  });
});
