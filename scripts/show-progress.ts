export interface Progress {
  readonly done: number;
  /** Null where nobody knows. */
  readonly of: number | null;
  readonly unit: string;
  /** Smaller steps, whose rate is shown: those done now, those that needed no work, and how many there will be, as far as one knows. */
  readonly work?: { readonly done: number; readonly known: number; readonly expected: number; readonly unit: string };
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

function describe({ done, of, unit, work }: Progress, elapsed: number): string {
  const total = of === null ? "" : ` of ${of}`;
  const small = work === undefined ? "" : `, ${work.done + work.known} ${work.unit}`;
  const steps = work ?? { done, known: 0, expected: of ?? 0, unit };
  const perSecond = (steps.done * 1000) / elapsed;
  const rate = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} ${steps.unit} a second`;
  const left = Math.max(0, steps.expected - steps.known - steps.done) / perSecond;
  const time = of === null || !Number.isFinite(left) ? "" : `, ${describeTime(left * 1000)} left`;
  return `${done}${total} ${unit}${small}, ${rate}${time}`;
}

function describeTime(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
}
