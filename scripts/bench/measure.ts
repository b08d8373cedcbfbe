export interface Figures {
  readonly p50: number;
  readonly p99: number;
}

/** Milliseconds of each run of `work`, after a few that don't count. */
export async function measure(runs: number, work: (run: number) => unknown): Promise<Figures> {
  for (let run = 0; run < Math.min(5, runs); run += 1) await work(run);
  const times: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const started = performance.now();
    await work(run);
    times.push(performance.now() - started);
  }
  return quantiles(times);
}

export function quantiles(times: readonly number[]): Figures {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p99: at(0.99) };
}

export interface Row {
  readonly what: string;
  readonly p50: number | null;
  readonly p99: number | null;
  /** Free text: a ratio, a limit, a size. */
  readonly note: string;
}

export function printRows(title: string, rows: readonly Row[]): void {
  const number = (value: number | null) => (value === null ? "" : value.toFixed(value < 10 ? 2 : 1)).padStart(9);
  process.stdout.write(`\n${title}\n${"".padEnd(46)}  p50 (ms)  p99 (ms)\n`);
  for (const row of rows) {
    process.stdout.write(`${row.what.padEnd(46)} ${number(row.p50)} ${number(row.p99)}  ${row.note}\n`);
  }
}
