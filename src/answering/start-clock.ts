import type { Timings } from "../domain.ts";

export interface Clock {
  /** Waits for a step and notes its milliseconds. */
  time<T>(step: keyof Omit<Timings, "total">, work: Promise<T>): Promise<T>;
  read(): Timings;
}

export function startClock(): Clock {
  const started = performance.now();
  const spent = { classify: 0, retrieve: 0, recommend: 0 };
  const since = (from: number) => Math.round((performance.now() - from) * 10) / 10;
  return {
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
