import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import type { Config } from "../config.ts";
import { ConfigurationError, PipelineError } from "../errors.ts";
import { readRetryAfter } from "../models/retry-request.ts";

export type QdrantSettings = NonNullable<Config["qdrant"]>;

/** How long one attempt may take, how often it is made, and the longest pause between two. */
export interface Patience {
  readonly timeoutMs: number;
  readonly attempts: number;
  readonly longestPauseMs: number;
  /** Whether an attempt that ran out of time is made again. */
  readonly afterTimeout: boolean;
}

/** Somebody waits for the answer. */
export const READING: Patience = { timeoutMs: 5000, attempts: 3, longestPauseMs: 2000, afterTimeout: false };
/** A publication takes minutes; it waits for a busy server. */
export const WRITING: Patience = { timeoutMs: 60_000, attempts: 6, longestPauseMs: 60_000, afterTimeout: true };

export interface QdrantCall<T> {
  readonly method: "GET" | "PUT" | "POST" | "DELETE";
  /** Below the server's address, each part encoded. */
  readonly path: string;
  /** JSON text, or a value that becomes it. */
  readonly body?: string | object;
  readonly result: z.ZodType<T>;
  readonly patience: Patience;
}

export type QdrantConnection = <T>(call: QdrantCall<T>) => Promise<T>;

const FIRST_PAUSE_MS = 200;

/**
 * Qdrant's REST interface over `fetch`. The official client gives the types only: it drops the path of the URL, takes
 * port 6333 where the URL names none, and reads one digit of Retry-After (30 becomes 3), which a caller can't undo.
 * Every call of ours may be made twice without harm, so all of them are retried.
 */
export function connectQdrant({ url, apiKey }: QdrantSettings): QdrantConnection {
  const { origin, pathname, username, password } = new URL(url);
  if (username !== "" || password !== "") {
    throw new ConfigurationError(["QDRANT_URL: must not hold a user name or password; set QDRANT_API_KEY"]);
  }
  const server = origin + pathname.replace(/\/+$/, "");
  const headers = { "content-type": "application/json", ...(apiKey === null ? {} : { "api-key": apiKey }) };

  async function attempt({ method, path, body, patience }: QdrantCall<unknown>): Promise<Outcome> {
    try {
      const response = await fetch(server + path, {
        method,
        headers,
        redirect: "error",
        signal: AbortSignal.timeout(patience.timeoutMs),
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      return { kind: "answer", status: response.status, text, retryAfter: response.headers.get("retry-after") };
    } catch (cause) {
      return { kind: "silence", timedOut: cause instanceof Error && cause.name === "TimeoutError", cause };
    }
  }

  return async (call) => {
    for (let attempts = 1; ; attempts += 1) {
      const outcome = await attempt(call);
      if (outcome.kind === "answer" && outcome.status >= 200 && outcome.status < 300) {
        return parseResult(outcome.text, call.result, server);
      }
      const pause = pauseAfter(outcome, attempts, call.patience);
      if (pause === null) throw describeFailure(outcome, server);
      await sleep(pause);
    }
  };
}

/** The server answered, and there is no such collection. */
export function isNotFound(error: unknown): boolean {
  return error instanceof PipelineError && error.context["status"] === 404;
}

export function isConflict(error: unknown): boolean {
  return error instanceof PipelineError && error.context["status"] === 409;
}

type Outcome =
  | { readonly kind: "answer"; readonly status: number; readonly text: string; readonly retryAfter: string | null }
  | { readonly kind: "silence"; readonly timedOut: boolean; readonly cause: unknown };

/** Milliseconds until the next attempt, or null when there is none: a refused request is refused again. */
function pauseAfter(outcome: Outcome, attempts: number, patience: Patience): number | null {
  if (attempts >= patience.attempts) return null;
  if (outcome.kind === "silence" && outcome.timedOut && !patience.afterTimeout) return null;
  if (outcome.kind === "answer" && outcome.status !== 429 && outcome.status < 500) return null;
  // Full jitter, so that several bots don't come back at once.
  const jitter = Math.random() * Math.min(patience.longestPauseMs, FIRST_PAUSE_MS * 2 ** attempts);
  const asked = outcome.kind === "answer" ? readRetryAfter(outcome.retryAfter) : null;
  if (asked === null) return jitter;
  return asked > patience.longestPauseMs ? null : asked + Math.min(jitter, FIRST_PAUSE_MS);
}

function parseResult<T>(text: string, schema: z.ZodType<T>, server: string): T {
  try {
    return z.object({ result: schema }).parse(JSON.parse(text)).result;
  } catch (cause) {
    throw new PipelineError("dependency", `what answers at ${server} does not talk like Qdrant`, { cause });
  }
}

const Refusal = z.object({ status: z.object({ error: z.string() }) });

function describeFailure(outcome: Outcome, server: string): PipelineError {
  if (outcome.kind === "silence") {
    const reason = outcome.timedOut ? "no answer in time" : describeSilence(outcome.cause);
    return new PipelineError("dependency", `Qdrant at ${server} did not answer (${reason})`, { cause: outcome.cause });
  }
  const { status, text } = outcome;
  const context = { status };
  if (status === 401 || status === 403) {
    const message = `Qdrant at ${server} refused the key (${status}); check QDRANT_API_KEY`;
    return new PipelineError("dependency", message, { context });
  }
  const reason = readRefusal(text);
  const message = `Qdrant at ${server} refused a request (${status}${reason === null ? "" : `: ${reason}`})`;
  return new PipelineError("dependency", message, { context });
}

function describeSilence(cause: unknown): string {
  const { data } = z.object({ cause: z.object({ code: z.string() }) }).safeParse(cause);
  return data?.cause.code ?? (cause instanceof Error ? cause.message : String(cause));
}

function readRefusal(text: string): string | null {
  try {
    return Refusal.safeParse(JSON.parse(text)).data?.status.error.slice(0, 300) ?? null;
  } catch {
    return null;
  }
}
