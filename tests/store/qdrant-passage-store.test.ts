import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { createQdrantPassageStore, type QdrantOptions } from "../../src/store/qdrant-passage-store.ts";
import { exampleHeader, exampleQuery, exampleRunbook, streamRunbooks } from "../fakes/example-index.ts";
import type { QdrantRequest } from "../fakes/qdrant/handle-request.ts";
import { createQdrantStandIn } from "../fakes/qdrant/qdrant-stand-in.ts";
import { passageStoreContract } from "./passage-store-contract.ts";

const collection = "runbooks";
const checkout = allowServices(["checkout-api"]);

passageStoreContract("Qdrant", async () => {
  const { url } = await createQdrantStandIn();
  return { open: () => createQdrantPassageStore({ url, apiKey: null, collection }) };
});

async function createPublished(options: QdrantOptions = {}) {
  const server = await createQdrantStandIn();
  const store = createQdrantPassageStore({ url: server.url, apiKey: null, collection }, options);
  const runbooks = await Promise.all([
    exampleRunbook(),
    exampleRunbook({ sourceId: "payroll-run", service: "payroll" }),
    exampleRunbook({ sourceId: "login", service: "identity" }),
  ]);
  await store.publish(exampleHeader(), new Set(), streamRunbooks(...runbooks));
  const published = [...server.requests];
  server.requests.length = 0;
  return { server, store, published };
}

interface Asked {
  readonly filter?: { readonly must: readonly { key?: string; match?: unknown }[] };
  readonly searches?: readonly Asked[];
}

/** Every filter of a request, one per search. */
function filtersOf({ body }: QdrantRequest) {
  const asked = JSON.parse(body) as Asked;
  return (asked.searches ?? [asked]).map(({ filter }) => filter);
}

describe("what Qdrant is asked", () => {
  it("asks nothing for readers who may see no service", async () => {
    const { server, store } = await createPublished();
    const nobody = allowServices([]);

    await store.search(await exampleQuery("open connections"), nobody, 10);
    await store.findRunbooks(["checkout-database"], nobody);
    await store.chunksOf("checkout-database", nobody);

    expect(server.requests).toEqual([]);
  });

  it("says the allowed services in every single search and look-up, and nothing but must", async () => {
    const { server, store } = await createPublished();
    await store.currentIndex();
    server.requests.length = 0;

    await store.search(await exampleQuery("open connections"), allowServices(["checkout-api", "identity"]), 10);
    await store.findRunbooks(["checkout-database", "payroll-run"], allowServices(["checkout-api", "identity"]));
    await store.chunksOf("payroll-run", allowServices(["checkout-api", "identity"]));

    const filters = server.requests.filter(({ path }) => path !== "/aliases").flatMap(filtersOf);
    expect(filters.length).toBeGreaterThan(8);
    for (const filter of filters) {
      expect(Object.keys(filter ?? {})).toEqual(["must"]);
      expect(filter?.must).toContainEqual({ key: "service", match: { any: ["checkout-api", "identity"] } });
      expect(filter?.must.some(({ key }) => key === "kind")).toBe(true);
    }
  });

  it("makes a collection that refuses a filter without an index, before the first point", async () => {
    const { published } = await createPublished({ shardNumber: 3, replicationFactor: 2, writeConsistencyFactor: 2 });
    const made = published.find(({ method, path }) => method === "PUT" && path.split("/").length === 3);
    const indexed = published.filter(({ path }) => path.endsWith("/index"));
    const firstPoints = published.findIndex(({ method, path }) => method === "PUT" && path.endsWith("/points"));

    expect(JSON.parse(made?.body ?? "{}")).toMatchObject({
      vectors: { dense: { size: 64, distance: "Cosine" } },
      sparse_vectors: { keywords: {} },
      strict_mode_config: { enabled: true, unindexed_filtering_retrieve: false },
      shard_number: 3,
      replication_factor: 2,
      write_consistency_factor: 2,
    });
    expect(indexed.map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { field_name: "service", field_schema: { type: "keyword", is_tenant: true } },
      { field_name: "kind", field_schema: "keyword" },
      { field_name: "source_id", field_schema: "keyword" },
    ]);
    expect(published.indexOf(indexed.at(-1) as QdrantRequest)).toBeLessThan(firstPoints);
  });

  it("waits for every write, and sends at most 256 points at once", async () => {
    const server = await createQdrantStandIn();
    const store = createQdrantPassageStore({ url: server.url, apiKey: null, collection });
    const many = await exampleRunbook({ sections: Array.from({ length: 700 }, (_, index) => `Step ${index}.`) });

    await store.publish(exampleHeader(), new Set(), streamRunbooks(many));

    const writes = server.requests.filter(({ method, path }) => method === "PUT" && /\/(points|index)$/.test(path));
    const sizes = writes.map(({ body }) => (JSON.parse(body) as { points?: unknown[] }).points?.length ?? 0);
    expect(writes.every(({ search }) => search.get("wait") === "true")).toBe(true);
    expect(Math.max(...sizes)).toBe(256);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(700 + 3);
  });

  it("gives the same text the same id in every version", async () => {
    const { server, store } = await createPublished();
    const idsIn = () => [...(server.collections.values().toArray().at(-1)?.points.keys() ?? [])];
    const before = idsIn();

    await store.publish(exampleHeader(), new Set(), streamRunbooks(await exampleRunbook()));

    const after = idsIn();
    expect(before).toEqual(expect.arrayContaining(after.slice(0, 3)));
    expect(
      after.every((id) => /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(String(id))),
    ).toBe(true);
  });
});

describe("what Qdrant holds is somebody else's", () => {
  const theirs = {
    vectors: { dense: { size: 64, distance: "Cosine" as const } },
    sparse_vectors: {},
  };

  async function createForeign({ alias }: { readonly alias: boolean }) {
    const { Collection } = await import("../fakes/qdrant/collection.ts");
    const server = await createQdrantStandIn();
    const foreign = new Collection(theirs);
    // As LangChain's store writes it.
    const payload = { content: "text", metadata: { source_id: "checkout-database", service: "checkout-api" } };
    const { embedding } = await exampleQuery("open connections");
    foreign.upsert([{ id: 1, vector: { dense: [...embedding] }, payload }])();
    server.collections.set(alias ? "theirs" : collection, foreign);
    if (alias) server.aliases.set(collection, "theirs");
    return { server, store: createQdrantPassageStore({ url: server.url, apiKey: null, collection }) };
  }

  for (const alias of [true, false]) {
    it(`is refused, and left as it is (${alias ? "behind the alias" : "in the alias's place"})`, async () => {
      const { server, store } = await createForeign({ alias });
      const query = await exampleQuery("open connections");

      await expect(store.currentIndex()).rejects.toMatchObject({ kind: "freshness" });
      await expect(store.search(query, checkout, 10)).rejects.toMatchObject({ kind: "freshness" });
      await expect(
        store.publish(exampleHeader(), new Set(), streamRunbooks(await exampleRunbook())),
      ).rejects.toMatchObject({
        kind: "indexing",
        message: expect.stringContaining("QDRANT_COLLECTION") as string,
      });
      expect(server.collections.size).toBe(1);
      expect(server.requests.some(({ method }) => method === "DELETE" || method === "PUT")).toBe(false);
    });
  }

  for (const field of ["source_id", "title", "service", "text"]) {
    it(`refuses a chunk without ${field}`, async () => {
      const { server, store } = await createPublished();
      const [index] = server.collections.values();
      for (const { payload } of index?.points.values() ?? []) {
        if (payload["kind"] === "chunk" && payload["service"] === "checkout-api") payload[field] = "";
      }

      const found = store.chunksOf("checkout-database", checkout);

      // A point without service or source id is in no filter's answer.
      if (field === "source_id" || field === "service") expect(await found).toEqual([]);
      else await expect(found).rejects.toMatchObject({ kind: "freshness" });
    });
  }

  it("refuses an index of another format, and a question of another width", async () => {
    const { server, store } = await createPublished();
    const wide = { embedding: new Float32Array(96).fill(0.1), terms: new Map() };
    await expect(store.search(wide, checkout, 10)).rejects.toMatchObject({
      kind: "freshness",
      message: expect.stringContaining("npm run reindex") as string,
    });
    for (const { payload } of server.collections.values().toArray()[0]?.points.values() ?? []) {
      if (payload["kind"] === "meta") payload["format"] = 99;
    }

    const another = createQdrantPassageStore({ url: server.url, apiKey: null, collection });

    await expect(another.currentIndex()).rejects.toMatchObject({ kind: "freshness" });
  });
});
