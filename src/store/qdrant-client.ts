import type { Schemas } from "@qdrant/js-client-rest";
import { z } from "zod";

import { PipelineError } from "../errors.ts";
import { isConflict, READING, WRITING, type Patience, type QdrantConnection } from "./qdrant-connection.ts";

const Point = z.object({
  id: z.union([z.string(), z.number()]),
  payload: z.record(z.string(), z.unknown()).nullish(),
  vector: z.unknown().optional(),
  score: z.number().optional(),
});
export type QdrantPoint = z.infer<typeof Point>;

const Done = z.unknown();
const Update = z.object({ status: z.string() });
const Aliases = z.object({ aliases: z.array(z.object({ alias_name: z.string(), collection_name: z.string() })) });
const Collections = z.object({ collections: z.array(z.object({ name: z.string() })) });
const Page = z.object({ points: z.array(Point), next_page_offset: z.union([z.string(), z.number()]).nullish() });
const Batch = z.array(z.object({ points: z.array(Point) }));

export type QdrantFilter = { readonly must: Schemas["Condition"][] };
export type QdrantSearch = Schemas["QueryRequest"] & { readonly filter: QdrantFilter };
type Scroll = Omit<Schemas["ScrollRequest"], "offset"> & { readonly filter: QdrantFilter; readonly limit: number };

export type QdrantClient = ReturnType<typeof createQdrantClient>;

/** The calls that we make of Qdrant's REST interface, in its own words; the request types are the official client's. */
export function createQdrantClient(
  connection: QdrantConnection,
  { reading, writing }: { readonly reading: Patience; readonly writing: Patience } = {
    reading: READING,
    writing: WRITING,
  },
) {
  const at = (collection: string) => `/collections/${encodeURIComponent(collection)}`;

  async function update(method: "PUT" | "POST", path: string, body: string | object): Promise<void> {
    const { status } = await connection({ method, path, body, result: Update, patience: writing });
    if (status === "completed") return;
    throw new PipelineError("dependency", `Qdrant did not complete an update in time (${status})`);
  }

  async function* scroll(collection: string, request: Scroll, patience = reading): AsyncGenerator<QdrantPoint> {
    let offset: string | number | null | undefined;
    do {
      const body = offset === undefined ? request : { ...request, offset };
      const path = `${at(collection)}/points/scroll`;
      const page = await connection({ method: "POST", path, body, result: Page, patience });
      yield* page.points;
      offset = page.next_page_offset;
    } while (offset !== null && offset !== undefined);
  }

  return {
    listAliases: async () =>
      (await connection({ method: "GET", path: "/aliases", result: Aliases, patience: reading })).aliases,

    /** All actions or none, in one step. */
    updateAliases: async (actions: Schemas["AliasOperations"][]) => {
      const path = "/collections/aliases";
      await connection({ method: "POST", path, body: { actions }, result: Done, patience: writing });
    },

    listCollections: async () => {
      const result = await connection({ method: "GET", path: "/collections", result: Collections, patience: reading });
      return result.collections.map(({ name }) => name);
    },
    /** The name is one that nobody used before: where it is taken, the answer to our first attempt got lost. */
    createCollection: async (collection: string, body: Schemas["CreateCollection"]) => {
      const call = { method: "PUT", path: at(collection), body, result: Done, patience: writing } as const;
      await connection(call).catch((error: unknown) => {
        if (!isConflict(error)) throw error;
      });
    },
    deleteCollection: async (collection: string) => {
      await connection({ method: "DELETE", path: at(collection), result: Done, patience: writing });
    },
    createPayloadIndex: (collection: string, body: Schemas["CreateFieldIndex"]) =>
      update("PUT", `${at(collection)}/index?wait=true`, body),

    /** Points as JSON texts: they were measured before, and are not turned into text twice. */
    upsert: (collection: string, points: readonly string[]) =>
      update("PUT", `${at(collection)}/points?wait=true`, `{"points":[${points.join(",")}]}`),

    countAll: async (collection: string) => {
      const path = `${at(collection)}/points/count`;
      const result = z.object({ count: z.number() });
      return (await connection({ method: "POST", path, body: { exact: true }, result, patience: writing })).count;
    },
    retrieve: (collection: string, ids: readonly string[]) => {
      const body = { ids, with_payload: true };
      const path = `${at(collection)}/points`;
      return connection({ method: "POST", path, body, result: z.array(Point), patience: reading });
    },
    scroll,
    scrollPatiently: (collection: string, request: Scroll) => scroll(collection, request, writing),

    /** One list of points per search, best first. */
    queryBatch: async (collection: string, searches: readonly QdrantSearch[]) => {
      if (searches.length === 0) return [];
      const path = `${at(collection)}/points/query/batch`;
      const lists = await connection({ method: "POST", path, body: { searches }, result: Batch, patience: reading });
      return lists.map(({ points }) => points);
    },
  };
}
