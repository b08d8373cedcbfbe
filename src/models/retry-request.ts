import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

/** How often a request is made, and the longest pause between two. */
export interface Persistence {
  readonly attempts: number;
  readonly longestPauseMs: number;
}

const FIRST_PAUSE_MS = 200;
const RETRIED = new Set([408, 409, 425, 429]);

const Failure = z.object({
  status: z.number().optional().catch(undefined),
  headers: z.instanceof(Headers).optional().catch(undefined),
  name: z.string().catch(""),
});

/** The HTTP status that an OpenAI client's error carries; null when nothing answered. */
export function statusOf(error: unknown): number | null {
  return Failure.safeParse(error).data?.status ?? null;
}

/**
 * Makes a request again after a lost connection, a 429 or a 5xx, as late as `Retry-After` says, else with full jitter
 * (https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/). Anything else is refused again, and rises.
 */
export async function retryRequest<T>(
  request: () => Promise<T>,
  { attempts, longestPauseMs }: Persistence,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request();
    } catch (error) {
      const pause = attempt >= attempts ? null : pauseAfter(error, attempt, longestPauseMs);
      if (pause === null) throw error;
      await sleep(pause);
    }
  }
}

function pauseAfter(error: unknown, attempt: number, longestPauseMs: number): number | null {
  const { status, headers } = Failure.safeParse(error).data ?? {};
  if (status !== undefined && status < 500 && !RETRIED.has(status)) return null;
  const jitter = Math.random() * Math.min(longestPauseMs, FIRST_PAUSE_MS * 2 ** attempt);
  const asked = readRetryAfter(headers?.get("retry-after") ?? null);
  if (asked === null) return jitter;
  return asked > longestPauseMs ? null : asked + Math.min(jitter, FIRST_PAUSE_MS);
}

/** Milliseconds, from seconds or a date, as RFC 9110 has it. */
export function readRetryAfter(header: string | null): number | null {
  if (header === null) return null;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(milliseconds) ? null : Math.max(0, milliseconds);
}
