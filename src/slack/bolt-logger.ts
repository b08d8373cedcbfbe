import { LogLevel, type Logger as SlackLogger } from "@slack/bolt";

import { hideSecrets, type Logger } from "../logger.ts";

/** Slack's packages log whole sentences: below `error` they go to `debug`, so that the log holds our events. */
export function createBoltLogger(log: Logger): SlackLogger {
  const write =
    (level: "debug" | "error") =>
    (...messages: unknown[]) =>
      log[level]({ from: "slack" }, describe(messages));
  return {
    debug: write("debug"),
    info: write("debug"),
    warn: write("debug"),
    error: write("error"),
    setLevel: () => undefined,
    getLevel: () => (log.level === "debug" || log.level === "trace" ? LogLevel.DEBUG : LogLevel.ERROR),
    setName: () => undefined,
  };
}

function describe(messages: readonly unknown[]): string {
  const text = messages.map((message) => (message instanceof Error ? message.name : String(message))).join(" ");
  // Before it is cut: half a token is a secret too.
  return hideSecrets(text).slice(0, 300);
}
