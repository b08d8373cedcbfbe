/** A line on stderr that counts up while work takes over a second; silent when stderr is no terminal. */
export function createProgressLine(unit: string): { advance(by: number): void; end(): void } {
  const started = performance.now();
  let done = 0;
  let shown = 0;
  return {
    advance(by) {
      done += by;
      const elapsed = performance.now() - started;
      if (!process.stderr.isTTY || elapsed < 1000 || elapsed - shown < 200) return;
      shown = elapsed;
      process.stderr.write(`\r\u001B[K${done} ${unit}, ${((done * 1000) / elapsed).toFixed(0)} a second`);
    },
    end() {
      if (shown > 0) process.stderr.write("\r\u001B[K");
      shown = 0;
    },
  };
}
