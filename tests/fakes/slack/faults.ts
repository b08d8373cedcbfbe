import type { ApiArguments } from "./board.ts";

/** What goes wrong with the next calls of a method. `response_url` is a method here. */
export interface Fault {
  /** `drop_response` does the thing and then closes the connection; `drop_request` closes it before. */
  readonly kind: "ratelimited" | "http500" | "http503" | "drop_response" | "drop_request" | "delay" | "error";
  /** Once when left out. */
  readonly times?: number;
  /** Only calls with these arguments. */
  readonly when?: (args: ApiArguments) => boolean;
  /** Seconds, for `ratelimited`. */
  readonly retryAfter?: number;
  /** Slack's error word, for `error`. */
  readonly error?: string;
  /** For `delay`. */
  readonly ms?: number;
}

export interface Faults {
  add(method: string, fault: Fault): void;
  /** The fault for this call, which counts as used. */
  take(method: string, args: ApiArguments): Fault | null;
}

export function createFaults(): Faults {
  const faults: { method: string; left: number; fault: Fault }[] = [];
  return {
    add: (method, fault) => void faults.push({ method, left: fault.times ?? 1, fault }),
    take(method, args) {
      const entry = faults.find(
        (candidate) => candidate.method === method && candidate.left > 0 && (candidate.fault.when?.(args) ?? true),
      );
      if (entry === undefined) return null;
      entry.left -= 1;
      return entry.fault;
    },
  };
}
