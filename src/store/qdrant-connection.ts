import { setTimeout as sleep } from "node:timers/promises";

import { QdrantClient } from "@qdrant/js-client-rest";
import { z } from "zod";

import type { Config } from "../config.ts";
import { PipelineError } from "../errors.ts";

export type QdrantSettings = NonNullable<Config["qdrant"]>;

/** Runs one request: retried with jitter while the server is busy or away, then a named failure. */
export type QdrantRequest = <T>(work: (client: QdrantClient) => Promise<T>) => Promise<T>;

const TIMEOUT_MS = 10_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 150;
const LONGEST_PAUSE_MS = 5000;

const HttpError = z.looseObject({ status: z.number() });

/**
 * A client that calls the host, port and path prefix of the URL as written: by itself it would drop the prefix and take
 * port 6333 where the URL names none.
 */
export function connectQdrant({ url, apiKey }: QdrantSettings): QdrantRequest {
  const { hostname, port, protocol, pathname } = new URL(url);
  const prefix = pathname.replace(/\/+$/, "");
  const client = new QdrantClient({
    host: hostname,
    port: port === "" ? null : Number(port),
    https: protocol === "https:",
    ...(prefix === "" ? {} : { prefix }),
    ...(apiKey === null ? {} : { apiKey }),
    timeout: TIMEOUT_MS,
    checkCompatibility: false,
  });

  return async (work) => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work(client);
      } catch (error) {
        if (isNotFound(error)) throw error;
        if (attempt === ATTEMPTS || !isPassing(error)) {
          const { data } = HttpError.safeParse(error);
          const reason = data === undefined ? "no answer" : `HTTP ${data.status}`;
          throw new PipelineError("dependency", `Qdrant at ${hostname} failed (${reason})`, { cause: error });
        }
        // Full jitter, so that several bots don't come back at once.
        await sleep(Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt));
      }
    }
  };
}

export function isNotFound(error: unknown): boolean {
  return HttpError.safeParse(error).data?.status === 404;
}

/** Busy or away for now; a refusal of the request itself (400, 401, 403, 422) comes again. */
function isPassing(error: unknown): boolean {
  const { data } = HttpError.safeParse(error);
  if (data !== undefined) return data.status === 429 || data.status >= 500;
  // The client gives a TypeError when the connection is refused, and its own errors for timeouts and 429.
  return error instanceof Error && !(error instanceof PipelineError);
}
