import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

/** How often a request is made, and the longest pause between two. */
export interface Persistence {
  readonly attempts: number;
  readonly longestPauseMs: number;
}

export interface RetryOptions {
  /** A failure that the same request would meet again, whatever its status says. */
  readonly isFinal?: (error: unknown) => boolean;
  /** Ends the pauses too; its reason is what is thrown. */
  readonly signal?: AbortSignal | undefined;
}

const FIRST_PAUSE_MS = 200;
const RETRIED = new Set([408, 409, 425, 429]);

const Failure = z.object({
  status: z.number().optional().catch(undefined),
  headers: z.instanceof(Headers).optional().catch(undefined),
  // LangChain puts its own error around the client's when a text is too long.
  cause: z.object({ status: z.number() }).optional().catch(undefined),
});

/** The HTTP status that an OpenAI client's error carries; null when nothing answered. */
export function statusOf(error: unknown): number | null {
  const { status, cause } = Failure.safeParse(error).data ?? {};
  return status ?? cause?.status ?? null;
}

/**
 * Makes a request again after a lost connection, a 429 or a 5xx, as late as `Retry-After` says, else with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). Anything else is refused again, and rises.
 */
export async function retryRequest<T>(
  request: () => Promise<T>,
  { attempts, longestPauseMs }: Persistence,
  { isFinal = () => false, signal }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await request();
    } catch (error) {
      signal?.throwIfAborted();
      const pause = attempt >= attempts || isFinal(error) ? null : pauseAfter(error, attempt, longestPauseMs);
      if (pause === null) throw error;
      // Whoever ends the pause ends the loop as well.
      await sleep(pause, undefined, { signal }).catch(() => undefined);
    }
  }
}

function pauseAfter(error: unknown, attempt: number, longestPauseMs: number): number | null {
  const status = statusOf(error);
  if (status !== null && status < 500 && !RETRIED.has(status)) return null;
  const jitter = Math.random() * Math.min(longestPauseMs, FIRST_PAUSE_MS * 2 ** attempt);
  const asked = retryAfterOf(error);
  if (asked === null) return jitter;
  return asked > longestPauseMs ? null : asked + Math.min(jitter, FIRST_PAUSE_MS);
}

/** Milliseconds that the server asks to be left alone; null when it does not say. */
export function retryAfterOf(error: unknown): number | null {
  return readRetryAfter(Failure.safeParse(error).data?.headers?.get("retry-after") ?? null);
}

/** Milliseconds, from seconds or a date, as RFC 9110 has it. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
