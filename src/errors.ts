/** The names of failures (README, "Failures have names"). */
export type FailureKind = "indexing" | "freshness" | "permission" | "ranking" | "dependency";

/**
 * An unexpected failure. It rises to the edge (Slack, a script), is logged there once, and the person gets a fixed
 * sentence with a reference id; `message` and `context` never reach Slack.
 */
export class PipelineError extends Error {
  override readonly name = "PipelineError";
  readonly kind: FailureKind;
  /** Ids and counts for the log, never message or runbook text. */
  readonly context: Readonly<Record<string, unknown>>;

  constructor(
    kind: FailureKind,
    message: string,
    options: { cause?: unknown; context?: Record<string, unknown> } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = kind;
    this.context = options.context ?? {};
  }
}

/** Wrong arguments, environment or access file: every problem is listed, the exit code is 2. */
export class ConfigurationError extends Error {
  override readonly name = "ConfigurationError";
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}
