import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import { matchesFilter, type Filter } from "./match-filter.ts";
import { Requests, type Point } from "./requests.ts";

interface Collection {
  readonly size: number;
  readonly indexes: Set<string>;
  readonly points: Map<string, Point>;
}

export interface QdrantFault {
  /** Part of `METHOD /path`. */
  readonly on: string;
  readonly kind: "status" | "drop" | "delay";
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly ms?: number;
  readonly times?: number;
}

/**
 * The part of Qdrant's REST API that the adapter uses, on loopback: every request is checked against its documented form,
 * filters run where the server runs them, and strict mode refuses a filter on a field without an index.
 */
export interface QdrantStandIn {
  readonly url: string;
  /** `METHOD /path` of every request. */
  readonly requests: string[];
  readonly collections: ReadonlyMap<string, Collection>;
  readonly aliases: ReadonlyMap<string, string>;
  fault(fault: QdrantFault): void;
  stop(): Promise<void>;
}

export async function createQdrantStandIn(prefix = ""): Promise<QdrantStandIn> {
  const collections = new Map<string, Collection>();
  const aliases = new Map<string, string>();
  const requests: string[] = [];
  const faults: { fault: QdrantFault; left: number }[] = [];
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const path = decodeURIComponent((request.url ?? "").split("?")[0] ?? "").slice(prefix.length);
    const name = `${request.method ?? ""} ${path}`;
    requests.push(name);
    const entry = faults.find(({ fault, left }) => left > 0 && name.includes(fault.on));
    if (entry) {
      entry.left -= 1;
      const { kind, status = 500, headers = {}, ms = 0 } = entry.fault;
      if (kind === "drop") return void request.socket.destroy();
      if (kind === "status") return send(response, status, { status: { error: "fault" } }, headers);
      await sleep(ms, undefined, { ref: false });
    }
    try {
      if (!(request.url ?? "").startsWith(prefix)) throw new Refusal(404, "no such path");
      const body: unknown = text === "" ? {} : JSON.parse(text);
      send(response, 200, { result: answer(request.method ?? "", path, body), status: "ok", time: 0 });
    } catch (error) {
      const status = error instanceof Refusal ? error.status : error instanceof z.ZodError ? 400 : 500;
      send(response, status, { status: { error: String(error) } });
    }
  }

  function answer(method: string, path: string, body: unknown): unknown {
    const [, area, name = "", ...rest] = path.split("/");
    const action = `${method} ${[area, ...(name === "" ? [] : ["*"]), ...rest].join("/")}`;
    switch (action) {
      case "GET collections":
        return { collections: [...collections.keys()].map((key) => ({ name: key })) };
      case "GET aliases":
        return {
          aliases: [...aliases].map(([alias, collection]) => ({ alias_name: alias, collection_name: collection })),
        };
      case "POST collections/*":
        if (name !== "aliases") throw new Refusal(404, "no such path");
        for (const step of Requests.aliases.parse(body).actions) changeAlias(step);
        return true;
      case "PUT collections/*": {
        if (collections.has(name)) throw new Refusal(409, "collection exists");
        const { vectors } = Requests.createCollection.parse(body);
        collections.set(name, { size: vectors.dense.size, indexes: new Set(), points: new Map() });
        return true;
      }
      case "DELETE collections/*":
        if (!collections.delete(name)) throw new Refusal(404, "no such collection");
        return true;
      case "PUT collections/*/index":
        find(name).indexes.add(Requests.index.parse(body).field_name);
        return { status: "completed" };
      case "PUT collections/*/points":
        return upsert(find(name), Requests.upsert.parse(body).points);
      case "POST collections/*/points":
        return Requests.retrieve.parse(body).ids.flatMap((id) => {
          const point = find(name).points.get(id);
          return point === undefined ? [] : [{ id: point.id, payload: point.payload }];
        });
      case "POST collections/*/points/count":
        Requests.count.parse(body);
        return { count: find(name).points.size };
      case "POST collections/*/points/scroll":
        return scroll(find(name), Requests.scroll.parse(body));
      case "POST collections/*/points/query/batch":
        return Requests.queryBatch.parse(body).searches.map((search) => query(find(name), search));
      default:
        throw new Refusal(404, `no such path: ${action}`);
    }
  }

  function find(name: string): Collection {
    const collection = collections.get(aliases.get(name) ?? name);
    if (collection === undefined) throw new Refusal(404, `collection ${name} not found`);
    return collection;
  }

  function changeAlias(step: z.infer<typeof Requests.aliases>["actions"][number]): void {
    if ("delete_alias" in step) {
      if (!aliases.delete(step.delete_alias.alias_name)) throw new Refusal(404, "no such alias");
      return;
    }
    const { alias_name: alias, collection_name: collection } = step.create_alias;
    if (!collections.has(collection)) throw new Refusal(404, "no such collection");
    if (collections.has(alias)) throw new Refusal(400, "a collection has this name");
    aliases.set(alias, collection);
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    requests,
    collections,
    aliases,
    fault: (fault) => void faults.push({ fault, left: fault.times ?? 1 }),
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
}

function upsert(collection: Collection, points: readonly Point[]): unknown {
  for (const point of points) {
    const dense = point.vector.dense;
    if (dense !== undefined && dense.length !== collection.size) throw new Refusal(400, "wrong vector dimension");
    collection.points.set(point.id, point);
  }
  return { status: "completed" };
}

/** Strict mode with `unindexed_filtering_retrieve: false`. */
function select(collection: Collection, filter: Filter): Point[] {
  const unindexed = filter.must.find(({ key }) => !collection.indexes.has(key));
  if (unindexed) throw new Refusal(400, `index required but not found for "${unindexed.key}"`);
  return [...collection.points.values()].filter((point) => matchesFilter(point.payload, filter));
}

function scroll(collection: Collection, asked: z.infer<typeof Requests.scroll>): unknown {
  const all = select(collection, asked.filter).toSorted((left, right) => (left.id < right.id ? -1 : 1));
  const from = asked.offset === undefined ? 0 : all.findIndex(({ id }) => id === asked.offset);
  const page = all.slice(from, from + asked.limit);
  const points = page.map(({ id, payload, vector }) => ({
    id,
    payload: choosePayload(payload, asked.with_payload),
    ...(asked.with_vector ? { vector } : {}),
  }));
  return { points, next_page_offset: all[from + asked.limit]?.id ?? null };
}

function query(collection: Collection, asked: z.infer<typeof Requests.queryBatch>["searches"][number]): unknown {
  const scored = select(collection, asked.filter).flatMap((point) => {
    const score = Array.isArray(asked.query)
      ? dot(asked.query, point.vector.dense)
      : sparseDot(asked.query, point.vector.terms);
    return score === null
      ? []
      : [{ id: point.id, version: 1, score, payload: choosePayload(point.payload, asked.with_payload) }];
  });
  return { points: scored.toSorted((left, right) => right.score - left.score).slice(0, asked.limit) };
}

function dot(left: readonly number[], right: readonly number[] | undefined): number | null {
  if (right === undefined) return null;
  if (left.length !== right.length) throw new Refusal(400, "wrong vector dimension");
  return left.reduce((sum, value, index) => sum + value * (right[index] ?? 0), 0);
}

/** Only points that share an index are found. */
function sparseDot(left: { indices: number[]; values: number[] }, right: Point["vector"]["terms"]): number | null {
  const values = new Map(right?.indices.map((index, at) => [index, right.values[at] ?? 0]));
  const shared = left.indices.flatMap((index, at) =>
    values.has(index) ? [(left.values[at] ?? 0) * (values.get(index) ?? 0)] : [],
  );
  return shared.length === 0 ? null : shared.reduce((sum, value) => sum + value, 0);
}

function choosePayload(payload: Record<string, unknown>, asked: boolean | string[] | { include: string[] }): unknown {
  if (typeof asked === "boolean") return asked ? payload : null;
  const paths = Array.isArray(asked) ? asked : asked.include;
  const chosen: Record<string, unknown> = {};
  for (const path of paths) {
    const keys = path.split(".");
    let from: unknown = payload;
    let to = chosen;
    keys.forEach((key, depth) => {
      from = (from as Record<string, unknown> | undefined)?.[key];
      if (from === undefined) return;
      if (depth === keys.length - 1) to[key] = from;
      else to = (to[key] ??= {}) as Record<string, unknown>;
    });
  }
  return chosen;
}
