import { z } from "zod";

import { Filter } from "./match-filter.ts";

const uuid = z.uuid();
const sparse = z
  .strictObject({ indices: z.array(z.int().min(0).max(0xff_ff_ff_ff)), values: z.array(z.number()) })
  .refine(({ indices, values }) => indices.length === values.length && new Set(indices).size === indices.length);
const withPayload = z.union([z.boolean(), z.array(z.string()), z.strictObject({ include: z.array(z.string()) })]);

const Point = z.strictObject({
  id: uuid,
  vector: z.strictObject({ dense: z.array(z.number()).optional(), terms: sparse.optional() }),
  payload: z.record(z.string(), z.unknown()),
});
export type Point = z.infer<typeof Point>;

/** Bodies in the forms that Qdrant documents (1.19), as far as the adapter uses them. */
export const Requests = {
  createCollection: z.strictObject({
    vectors: z.strictObject({ dense: z.strictObject({ size: z.int().min(1), distance: z.literal("Cosine") }) }),
    sparse_vectors: z.strictObject({ terms: z.strictObject({ modifier: z.enum(["none", "idf"]).optional() }) }),
    strict_mode_config: z.strictObject({ enabled: z.literal(true), unindexed_filtering_retrieve: z.literal(false) }),
    shard_number: z.int().optional(),
    replication_factor: z.int().optional(),
    write_consistency_factor: z.int().optional(),
  }),
  index: z.strictObject({
    field_name: z.string(),
    field_schema: z.strictObject({ type: z.literal("keyword"), is_tenant: z.boolean().optional() }),
  }),
  upsert: z.strictObject({ points: z.array(Point).min(1) }),
  retrieve: z.strictObject({
    ids: z.array(uuid).min(1),
    with_payload: z.boolean(),
    with_vector: z.boolean().nullish(),
  }),
  count: z.strictObject({ exact: z.boolean(), filter: Filter.optional() }),
  scroll: z.strictObject({
    filter: Filter,
    limit: z.int().min(1),
    offset: z.union([uuid, z.int()]).optional(),
    with_payload: withPayload,
    with_vector: z.boolean().default(false),
  }),
  queryBatch: z.strictObject({
    searches: z.array(
      z.strictObject({
        query: z.union([z.array(z.number()).min(1), sparse]),
        using: z.enum(["dense", "terms"]),
        filter: Filter,
        limit: z.int().min(1),
        with_payload: withPayload,
      }),
    ),
  }),
  aliases: z.strictObject({
    actions: z.array(
      z.union([
        z.strictObject({ delete_alias: z.strictObject({ alias_name: z.string() }) }),
        z.strictObject({ create_alias: z.strictObject({ alias_name: z.string(), collection_name: z.string() }) }),
      ]),
    ),
  }),
};
