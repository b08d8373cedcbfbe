export interface Progress {
  readonly done: number;
  /** Null where nobody knows. */
  readonly of: number | null;
  readonly unit: string;
  /** Smaller steps, of which nobody knows the number before; the rate is theirs. */
  readonly worked?: number;
  readonly workUnit?: string;
}

const SILENT_MS = 1000;
const TERMINAL_MS = 200;
/** A log is not a terminal: a line now and then is enough to see that it goes on. */
const LOG_MS = 10_000;

/**
 * Shows on stderr how far long work is: what is done, the rate and the time left. One line that is written over on a
 * terminal, a line every ten seconds elsewhere; nothing for work that takes less than a second.
 */
export function createProgressLine(
  output: { readonly isTTY?: boolean; write(text: string): unknown } = process.stderr,
  now: () => number = () => performance.now(),
): { show(progress: Progress): void; end(): void } {
  const started = now();
  let shown = 0;
  return {
    show(progress) {
      const elapsed = now() - started;
      const pause = output.isTTY === true ? TERMINAL_MS : LOG_MS;
      if (elapsed < SILENT_MS || elapsed - shown < pause) return;
      shown = elapsed;
      const line = describe(progress, elapsed);
      output.write(output.isTTY === true ? `\r\u001B[K${line}` : `${line}\n`);
    },
    end() {
      if (shown > 0 && output.isTTY === true) output.write("\r\u001B[K");
      shown = 0;
    },
  };
}

function describe({ done, of, unit, worked = done, workUnit = unit }: Progress, elapsed: number): string {
  const small = workUnit === unit ? "" : `, ${worked} ${workUnit}`;
  const rate = `${((worked * 1000) / elapsed).toFixed(0)} ${workUnit} a second`;
  const left = done === 0 || of === null ? "" : `, ${describeTime((elapsed / done) * (of - done))} left`;
  return `${done}${of === null ? "" : ` of ${of}`} ${unit}${small}, ${rate}${left}`;
}

function describeTime(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
