import type { CreateCollection, Filter, NewPoint, Query, Scroll, Selector } from "./request-forms.ts";

/** A refusal as the server words it. */
export class Refused extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

type Vectors = Record<string, Float32Array | { indices: number[]; values: number[] }>;
interface StoredPoint {
  readonly id: string | number;
  readonly vectors: Vectors;
  readonly payload: Record<string, unknown>;
}

/** One collection in memory: every search reads every point, so its answers are exact. */
export class Collection {
  readonly config: CreateCollection;
  readonly indexes = new Map<string, unknown>();
  readonly points = new Map<string | number, StoredPoint>();

  constructor(config: CreateCollection) {
    this.config = config;
  }

  /** All points are checked before one is stored. */
  upsert(points: readonly NewPoint[]): () => void {
    const stored = points.map((point) => this.#toStored(point));
    return () => stored.forEach((point) => this.points.set(point.id, point));
  }

  #toStored({ id, vector, payload = {} }: NewPoint): StoredPoint {
    const vectors: Vectors = {};
    for (const [name, value] of Object.entries(vector)) {
      const dense = this.config.vectors[name];
      if (dense === undefined && this.config.sparse_vectors?.[name] === undefined) {
        throw new Refused(400, `Wrong input: Not existing vector name error: ${name}`);
      }
      if (!Array.isArray(value)) vectors[name] = value;
      else vectors[name] = normalise(value, dense?.size ?? 0);
    }
    return { id, vectors, payload };
  }

  query({ query, using, filter, limit, with_payload: payload, with_vector: vector, params }: Query) {
    this.#checkLimit(limit);
    if (params?.exact === true && this.config.strict_mode_config?.search_allow_exact === false) {
      throw new Refused(400, "Bad request: Exact search is disabled!");
    }
    const dense = Array.isArray(query) ? normalise(query, this.config.vectors[using]?.size ?? 0) : null;
    const scored = this.#matching(filter).flatMap((point) => {
      const stored = point.vectors[using];
      const score = stored === undefined ? null : scoreOf(dense ?? query, stored);
      return score === null ? [] : [{ point, score }];
    });
    const best = scored.toSorted((left, right) => right.score - left.score || compareIds(left.point, right.point));
    const points = best
      .slice(0, limit)
      .map(({ point, score }) => ({ ...show(point, payload, vector), version: 1, score }));
    return { points };
  }

  scroll({ filter, limit, offset, with_payload: payload, with_vector: vector }: Scroll) {
    this.#checkLimit(limit);
    const sorted = this.#matching(filter).toSorted(compareIds);
    const from = offset === undefined ? 0 : sorted.findIndex(({ id }) => String(id) >= String(offset));
    const rest = from < 0 ? [] : sorted.slice(from);
    return {
      points: rest.slice(0, limit).map((point) => show(point, payload, vector)),
      next_page_offset: rest[limit]?.id ?? null,
    };
  }

  count(filter: Filter | undefined) {
    return { count: this.#matching(filter).length };
  }

  retrieve(ids: readonly (string | number)[], payload: Selector, vector: boolean | string[]) {
    return ids.flatMap((id) => this.points.get(id) ?? []).map((point) => show(point, payload, vector));
  }

  #checkLimit(limit: number): void {
    const most = this.config.strict_mode_config?.max_query_limit;
    if (most === undefined || limit <= most) return;
    throw new Refused(
      400,
      `Bad request: Limit exceeded ${limit} > ${most} for "limit". Help: Reduce the "limit" parameter.`,
    );
  }

  #matching(filter: Filter | undefined): StoredPoint[] {
    const conditions = filter?.must ?? [];
    for (const condition of conditions) {
      if ("has_id" in condition || this.indexes.has(condition.key)) continue;
      if (this.config.strict_mode_config?.unindexed_filtering_retrieve !== false) continue;
      throw new Refused(
        400,
        `Bad request: Index required but not found for "${condition.key}" of one of the following types: [keyword]. Help: Create an index for this key or use a different filter.`,
      );
    }
    return [...this.points.values()].filter((point) =>
      conditions.every((condition) => {
        if ("has_id" in condition) return condition.has_id.includes(point.id);
        const value = point.payload[condition.key];
        const wanted: readonly unknown[] = "any" in condition.match ? condition.match.any : [condition.match.value];
        return (Array.isArray(value) ? value : [value]).some((one) => wanted.includes(one));
      }),
    );
  }
}

/** As the server keeps vectors of distance Cosine: at length 1, in 32 bits. */
function normalise(vector: readonly number[], size: number): Float32Array {
  if (vector.length !== size) {
    throw new Refused(400, `Wrong input: Vector dimension error: expected dim: ${size}, got ${vector.length}`);
  }
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length));
}

/** Null when a sparse vector shares nothing with the query: such points are no hits. */
function scoreOf(
  query: Float32Array | number[] | { indices: number[]; values: number[] },
  stored: StoredPoint["vectors"][string],
): number | null {
  if (query instanceof Float32Array && stored instanceof Float32Array) {
    return Math.fround(query.reduce((sum, value, index) => sum + value * (stored[index] ?? 0), 0));
  }
  if (!("indices" in query) || !("indices" in stored))
    throw new Refused(400, "Wrong input: Conversion between sparse and regular vectors failed");
  const values = new Map(stored.indices.map((index, at) => [index, stored.values[at] ?? 0]));
  const shared = query.indices.flatMap((index, at) => {
    const value = values.get(index);
    return value === undefined ? [] : [Math.fround(value) * Math.fround(query.values[at] ?? 0)];
  });
  return shared.length === 0 ? null : Math.fround(shared.reduce((sum, value) => sum + value, 0));
}

function show({ id, payload, vectors }: StoredPoint, withPayload: Selector, withVector: boolean | string[]) {
  const wanted = Array.isArray(withPayload)
    ? withPayload
    : typeof withPayload === "object"
      ? withPayload.include
      : null;
  const shown =
    wanted === null
      ? payload
      : Object.fromEntries(wanted.filter((key) => key in payload).map((key) => [key, payload[key]]));
  const names = withVector === true ? Object.keys(vectors) : withVector === false ? [] : withVector;
  const vector = Object.fromEntries(
    names.map((name) => {
      const value = vectors[name];
      return [name, value instanceof Float32Array ? [...value] : value];
    }),
  );
  return { id, ...(withPayload === false ? {} : { payload: shown }), ...(withVector === false ? {} : { vector }) };
}

function compareIds(left: StoredPoint, right: StoredPoint): number {
  return String(left.id) < String(right.id) ? -1 : 1;
}
