import pino from "pino";

export type Logger = pino.Logger;

/**
 * Structured log lines on stderr, so that stdout holds only results. Log a fixed event name plus ids and counts
 * (`log.warn({ kind, sourceId }, "passage_rejected")`), never message or runbook text.
 */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: ["*.token", "*.apiKey", "*.signingSecret", "token", "apiKey"], censor: "[secret]" },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
