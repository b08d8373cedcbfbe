import pino from "pino";

export type Logger = pino.Logger;

const SECRETS = /\b(?:xox[a-z]*-|xapp-|xwfp-|sk-)[\w.-]+|\bBearer\s+[\w.~+/=-]+|\bwss?:\/\/[^\s"\\]+/gi;
const HOOKS = /\bhttps?:\/\/hooks\.[^\s"\\]+/gi;

/** A text without tokens, keys, and addresses that are as good as keys. */
export function hideSecrets(text: string): string {
  return text.replace(SECRETS, "[secret]").replace(HOOKS, "[secret]");
}

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
      // Other people's packages put texts into errors; no line leaves with what looks like a key.
      hooks: { streamWrite: hideSecrets },
      redact: { paths: ["*.token", "*.apiKey", "*.signingSecret", "token", "apiKey"], censor: "[secret]" },
    },
    pino.destination({ dest: 2, sync: true }),
  );
}
