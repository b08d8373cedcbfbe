import type { Timings } from "../domain.ts";

export interface Clock {
  /** Waits for a step and notes its milliseconds. */
  time<T>(step: keyof Omit<Timings, "total">, work: Promise<T>): Promise<T>;
  read(): Timings;
  /** Ends when the model calls of this answer have used up their time. */
  readonly budget: AbortSignal;
}

export function startClock(modelBudgetMs: number): Clock {
  const started = performance.now();
  const spent = { classify: 0, retrieve: 0, recommend: 0 };
  const since = (from: number) => Math.round((performance.now() - from) * 10) / 10;
  return {
    budget: AbortSignal.timeout(modelBudgetMs),
    async time(step, work) {
      const from = performance.now();
      try {
        return await work;
      } finally {
        spent[step] = since(from);
      }
    },
    read: () => ({ ...spent, total: since(started) }),
  };
}
