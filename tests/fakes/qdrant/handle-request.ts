import { z } from "zod";

import { Collection, Refused } from "./collection.ts";
import * as forms from "./request-forms.ts";

export interface QdrantRequest {
  readonly method: string;
  /** Without the path prefix; still encoded. */
  readonly path: string;
  readonly search: URLSearchParams;
  readonly body: string;
}

export interface QdrantState {
  readonly collections: Map<string, Collection>;
  readonly aliases: Map<string, string>;
}

/** How long an update that nobody waits for takes. */
const UPDATE_MS = 100;

/** What the server would answer, and what it would keep. @throws Refused */
export function handleRequest(state: QdrantState, { method, path, search, body }: QdrantRequest): unknown {
  const parts = path
    .split("/")
    .filter((part) => part !== "")
    .map(decodeURIComponent);
  const [root, name = "", ...rest] = parts;
  const route = `${method} ${[root, ...(name === "" ? [] : name === "aliases" ? ["aliases"] : ["*"]), ...rest].join("/")}`;
  const read = <T>(form: z.ZodType<T>): T => readBody(form, body);
  const updated = (apply: () => void) => {
    if (search.get("wait") === "true") {
      apply();
      return { operation_id: 1, status: "completed" };
    }
    setTimeout(apply, UPDATE_MS).unref();
    return { operation_id: 1, status: "acknowledged" };
  };

  switch (route) {
    case "GET aliases":
      return {
        aliases: [...state.aliases].map(([alias, collection]) => ({ alias_name: alias, collection_name: collection })),
      };
    case "POST collections/aliases":
      updateAliases(state, read(forms.UpdateAliases));
      return true;
    case "GET collections":
      return { collections: [...state.collections.keys()].map((collection) => ({ name: collection })) };
    case "PUT collections/*":
      createCollection(state, name, read(forms.CreateCollection));
      return true;
    case "DELETE collections/*":
      for (const [alias, collection] of state.aliases) if (collection === name) state.aliases.delete(alias);
      return state.collections.delete(name);
    case "PUT collections/*/index": {
      const { field_name: field, field_schema: schema } = read(forms.CreateIndex);
      const collection = find(state, name);
      return updated(() => collection.indexes.set(field, schema));
    }
    case "PUT collections/*/points":
      return updated(find(state, name).upsert(read(forms.Upsert).points));
    case "POST collections/*/points": {
      const { ids, with_payload: payload, with_vector: vector } = read(forms.Retrieve);
      return find(state, name).retrieve(ids, payload, vector);
    }
    case "POST collections/*/points/scroll":
      return find(state, name).scroll(read(forms.Scroll));
    case "POST collections/*/points/count":
      return find(state, name).count(read(forms.Count).filter);
    case "POST collections/*/points/query":
      return find(state, name).query(read(forms.Query));
    case "POST collections/*/points/query/batch": {
      const collection = find(state, name);
      return read(forms.QueryBatch).searches.map((query) => collection.query(query));
    }
    default:
      throw new Refused(404, `the stand-in has no ${method} ${path}`);
  }
}

function find({ collections, aliases }: QdrantState, name: string): Collection {
  const found = collections.get(aliases.get(name) ?? name);
  if (found === undefined) throw new Refused(404, `Not found: Collection \`${name}\` doesn't exist!`);
  return found;
}

function createCollection({ collections, aliases }: QdrantState, name: string, config: forms.CreateCollection): void {
  if (collections.has(name) || aliases.has(name)) {
    throw new Refused(409, `Conflict: Wrong input: Collection \`${name}\` already exists!`);
  }
  collections.set(name, new Collection(config));
}

/** All actions or none. */
function updateAliases(state: QdrantState, { actions }: z.infer<typeof forms.UpdateAliases>): void {
  const aliases = new Map(state.aliases);
  for (const action of actions) {
    if ("delete_alias" in action) {
      if (!aliases.delete(action.delete_alias.alias_name)) throw new Refused(404, "Not found: Alias does not exist");
      continue;
    }
    const { collection_name: collection, alias_name: alias } = action.create_alias;
    if (!state.collections.has(collection)) {
      throw new Refused(404, `Not found: Collection \`${collection}\` doesn't exist!`);
    }
    if (state.collections.has(alias)) {
      throw new Refused(409, `Conflict: Wrong input: Collection \`${alias}\` already exists!`);
    }
    aliases.set(alias, collection);
  }
  state.aliases.clear();
  for (const [alias, collection] of aliases) state.aliases.set(alias, collection);
}

function readBody<T>(form: z.ZodType<T>, body: string): T {
  let value: unknown;
  try {
    // The server's JSON reader takes no half of a surrogate pair.
    value = JSON.parse(body, (_key, inner: unknown) => {
      if (typeof inner === "string" && !inner.isWellFormed()) throw new Error("lone leading surrogate in hex escape");
      return inner;
    });
  } catch (error) {
    throw new Refused(400, `Format error in JSON body: ${String(error)}`);
  }
  const parsed = form.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Refused(400, `Format error in JSON body: ${z.prettifyError(parsed.error)}`);
}
