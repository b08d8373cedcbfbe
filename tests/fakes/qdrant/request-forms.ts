import { z } from "zod";

// The forms of requests as Qdrant's REST documentation has them, as far as a store of ours may use them. Strict: a field
// that is not listed here is an error, where the real server would pass over a misspelt one.

const PointId = z.union([z.uuid(), z.int().min(0)]);
const names = z.array(z.string());

const Match = z.union([
  z.strictObject({ value: z.union([z.string(), z.int(), z.boolean()]) }),
  z.strictObject({ any: z.union([names, z.array(z.int())]) }),
]);
const Condition = z.union([
  z.strictObject({ key: z.string(), match: Match }),
  z.strictObject({ has_id: z.array(PointId) }),
]);
export const Filter = z.strictObject({ must: z.array(Condition).optional() });
export type Filter = z.infer<typeof Filter>;

export const Selector = z.union([z.boolean(), names, z.strictObject({ include: names })]);
export type Selector = z.infer<typeof Selector>;
const VectorSelector = z.union([z.boolean(), names]);

export const SparseVector = z
  .strictObject({ indices: z.array(z.int().min(0).max(0xff_ff_ff_ff)), values: z.array(z.number()) })
  .refine(({ indices, values }) => indices.length === values.length, "indices and values differ in length")
  .refine(({ indices }) => new Set(indices).size === indices.length, "indices are not unique");

export const Query = z.strictObject({
  query: z.union([z.array(z.number()), SparseVector]),
  using: z.string(),
  filter: Filter.optional(),
  params: z.strictObject({ exact: z.boolean().optional() }).optional(),
  limit: z.int().min(1).default(10),
  with_payload: Selector.default(false),
  with_vector: VectorSelector.default(false),
});
export type Query = z.infer<typeof Query>;
export const QueryBatch = z.strictObject({ searches: z.array(Query) });

export const Scroll = z.strictObject({
  filter: Filter.optional(),
  limit: z.int().min(1).default(10),
  offset: PointId.optional(),
  with_payload: Selector.default(true),
  with_vector: VectorSelector.default(false),
});
export type Scroll = z.infer<typeof Scroll>;

export const Count = z.strictObject({ filter: Filter.optional(), exact: z.boolean().default(true) });
export const Retrieve = z.strictObject({
  ids: z.array(PointId),
  with_payload: Selector.default(true),
  with_vector: VectorSelector.default(false),
});

const optimal = z.int().min(1).optional();
export const CreateCollection = z.strictObject({
  vectors: z.record(
    z.string(),
    z.strictObject({
      size: z.int().min(1).max(65_536),
      distance: z.literal("Cosine"),
      on_disk: z.boolean().optional(),
    }),
  ),
  sparse_vectors: z.record(z.string(), z.strictObject({ modifier: z.enum(["none", "idf"]).optional() })).optional(),
  hnsw_config: z.strictObject({ m: z.int().optional(), payload_m: z.int().optional() }).optional(),
  shard_number: optimal,
  replication_factor: optimal,
  write_consistency_factor: optimal,
  strict_mode_config: z
    .strictObject({
      enabled: z.boolean(),
      unindexed_filtering_retrieve: z.boolean().optional(),
      unindexed_filtering_update: z.boolean().optional(),
      search_allow_exact: z.boolean().optional(),
      max_query_limit: z.int().optional(),
    })
    .optional(),
});
export type CreateCollection = z.infer<typeof CreateCollection>;

export const CreateIndex = z.strictObject({
  field_name: z.string(),
  field_schema: z.union([
    z.literal("keyword"),
    z.strictObject({ type: z.literal("keyword"), is_tenant: z.boolean().optional() }),
  ]),
});

export const Upsert = z.strictObject({
  points: z
    .array(
      z.strictObject({
        id: PointId,
        vector: z.record(z.string(), z.union([z.array(z.number()), SparseVector])),
        payload: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .min(1),
});
export type NewPoint = z.infer<typeof Upsert>["points"][number];

export const UpdateAliases = z.strictObject({
  actions: z.array(
    z.union([
      z.strictObject({ create_alias: z.strictObject({ collection_name: z.string(), alias_name: z.string() }) }),
      z.strictObject({ delete_alias: z.strictObject({ alias_name: z.string() }) }),
    ]),
  ),
});
