import { inspect } from "node:util";

import { z } from "zod";

import { ConfigurationError } from "./errors.ts";

const text = z.string().trim().min(1);
const address = z.url({ protocol: /^https?$/, error: "must be an http(s) address" });
const wholeNumber = (least: number, most: number) =>
  z.coerce.number({ error: "must be a number" }).int("must be a whole number").min(least).max(most);

/** Not trimmed, as it ends with a blank; the word none is no prefix at all. */
const prefix = z.string().transform((value) => (value.trim() === "none" ? "" : value));

const Environment = z.object({
  SLACK_BOT_TOKEN: text.regex(/^(?!xapp-)/, "is an app-level token; the bot token begins with xoxb-").optional(),
  SLACK_APP_TOKEN: text.regex(/^(?!xoxb-)/, "is a bot token; the app-level token begins with xapp-").optional(),
  SLACK_SIGNING_SECRET: text.optional(),
  SLACK_API_URL: address.default("https://slack.com/api/"),
  PORT: wholeNumber(0, 65_535).default(3000),
  HEALTH_PORT: wholeNumber(0, 65_535).optional(),
  THREAD_REPLIES: z.enum(["mentions", "questions"]).default("mentions"),
  ANSWER_WITHIN_MINUTES: z.coerce.number({ error: "must be a number" }).positive().max(1440).default(10),
  OPENAI_API_KEY: text.optional(),
  OPENAI_BASE_URL: address.optional(),
  CHAT_MODEL: text.optional(),
  EMBEDDING_MODEL: text.optional(),
  EMBEDDING_DIMENSIONS: wholeNumber(1, 65_536).optional(),
  EMBEDDING_BATCH_SIZE: wholeNumber(1, 2048).optional(),
  EMBEDDING_QUERY_PREFIX: prefix.optional(),
  EMBEDDING_DOCUMENT_PREFIX: prefix.optional(),
  MODEL_TIMEOUT_MS: wholeNumber(1, 600_000).default(8000),
  QDRANT_URL: address.optional(),
  QDRANT_API_KEY: text.optional(),
  QDRANT_COLLECTION: text.regex(/^[A-Za-z0-9_-]+$/, "may hold letters, digits, _ and -").default("runbooks"),
  QDRANT_SHARD_NUMBER: wholeNumber(1, 1000).optional(),
  QDRANT_REPLICATION_FACTOR: wholeNumber(1, 100).optional(),
  QDRANT_WRITE_CONSISTENCY_FACTOR: wholeNumber(1, 100).optional(),
  RUNBOOKS_DIR: text.default("runbooks"),
  ACCESS_FILE: text.default("access.yaml"),
  DATA_DIR: text.default(".data"),
  AUDIT: z.enum(["required", "best-effort", "off"]).default("required"),
  AUDIT_KEEP_DAYS: wholeNumber(1, 100_000).default(400),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "fatal", "silent"]).default("info"),
});

export interface Config {
  readonly slack: {
    readonly botToken: string | null;
    readonly appToken: string | null;
    readonly signingSecret: string | null;
    /** Ends with a slash: Slack's client needs it. */
    readonly apiUrl: string;
    readonly port: number;
  };
  readonly models: {
    readonly apiKey: string | null;
    readonly baseUrl: string | null;
    readonly chatModel: string | null;
    readonly embeddingModel: string | null;
    readonly embeddingDimensions: number | null;
    /** Texts per request at most; left out: found out. */
    readonly embeddingBatchSize?: number;
    /** Put before questions and runbook texts instead of what the model's family wants. */
    readonly embeddingQueryPrefix?: string;
    readonly embeddingDocumentPrefix?: string;
    readonly timeoutMs: number;
  };
  readonly qdrant: { readonly url: string; readonly apiKey: string | null; readonly collection: string } | null;
  /** For a Qdrant cluster; what is left out is the server's default. */
  readonly qdrantCluster: {
    readonly shardNumber?: number;
    readonly replicationFactor?: number;
    readonly writeConsistencyFactor?: number;
  };
  readonly runbooksDir: string;
  readonly accessFile: string;
  readonly dataDir: string;
  readonly audit: { readonly mode: "required" | "best-effort" | "off"; readonly keepDays: number };
  /** Null: nothing listens for health checks. */
  readonly healthPort: number | null;
  /** What could not be answered for so long is answered by an apology. */
  readonly answerWithinMs: number;
  /** In a thread that the bot answered in: `mentions` of it only, or also plain `questions`. */
  readonly threadReplies: "mentions" | "questions";
  readonly logLevel: string;
}

/**
 * Reads every setting from the environment; an empty variable counts as not set.
 * @throws ConfigurationError naming every bad variable at once, never its value.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const parsed = Environment.safeParse(given);
  const problems = parsed.success
    ? findContradictions(parsed.data)
    : parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  if (!parsed.success || problems.length > 0) throw new ConfigurationError(problems);

  const values = parsed.data;
  return hideInDumps({
    slack: {
      botToken: values.SLACK_BOT_TOKEN ?? null,
      appToken: values.SLACK_APP_TOKEN ?? null,
      signingSecret: values.SLACK_SIGNING_SECRET ?? null,
      apiUrl: values.SLACK_API_URL.endsWith("/") ? values.SLACK_API_URL : `${values.SLACK_API_URL}/`,
      port: values.PORT,
    },
    models: {
      apiKey: values.OPENAI_API_KEY ?? null,
      baseUrl: values.OPENAI_BASE_URL ?? null,
      chatModel: values.CHAT_MODEL ?? null,
      embeddingModel: values.EMBEDDING_MODEL ?? null,
      embeddingDimensions: values.EMBEDDING_DIMENSIONS ?? null,
      ...(values.EMBEDDING_BATCH_SIZE === undefined ? {} : { embeddingBatchSize: values.EMBEDDING_BATCH_SIZE }),
      ...(values.EMBEDDING_QUERY_PREFIX === undefined ? {} : { embeddingQueryPrefix: values.EMBEDDING_QUERY_PREFIX }),
      ...(values.EMBEDDING_DOCUMENT_PREFIX === undefined
        ? {}
        : { embeddingDocumentPrefix: values.EMBEDDING_DOCUMENT_PREFIX }),
      timeoutMs: values.MODEL_TIMEOUT_MS,
    },
    qdrant:
      values.QDRANT_URL === undefined
        ? null
        : { url: values.QDRANT_URL, apiKey: values.QDRANT_API_KEY ?? null, collection: values.QDRANT_COLLECTION },
    qdrantCluster: {
      ...(values.QDRANT_SHARD_NUMBER === undefined ? {} : { shardNumber: values.QDRANT_SHARD_NUMBER }),
      ...(values.QDRANT_REPLICATION_FACTOR === undefined
        ? {}
        : { replicationFactor: values.QDRANT_REPLICATION_FACTOR }),
      ...(values.QDRANT_WRITE_CONSISTENCY_FACTOR === undefined
        ? {}
        : { writeConsistencyFactor: values.QDRANT_WRITE_CONSISTENCY_FACTOR }),
    },
    runbooksDir: values.RUNBOOKS_DIR,
    accessFile: values.ACCESS_FILE,
    dataDir: values.DATA_DIR,
    audit: { mode: values.AUDIT, keepDays: values.AUDIT_KEEP_DAYS },
    healthPort: values.HEALTH_PORT ?? null,
    answerWithinMs: values.ANSWER_WITHIN_MINUTES * 60_000,
    threadReplies: values.THREAD_REPLIES,
    logLevel: values.LOG_LEVEL,
  });
}

const SECRET_SETTINGS = new Set(["botToken", "appToken", "signingSecret", "apiKey"]);

/** Somebody will print the configuration one day, whole or a part of it: the secrets are not in what is printed. */
function hideInDumps<Part extends object>(part: Part): Part {
  const shown = () =>
    Object.fromEntries(
      Object.entries(part).map(([name, value]) => [
        name,
        SECRET_SETTINGS.has(name) && value !== null ? "[secret]" : (value as unknown),
      ]),
    );
  for (const value of Object.values(part)) if (typeof value === "object" && value !== null) hideInDumps(value);
  return Object.defineProperties(part, { toJSON: { value: shown }, [inspect.custom]: { value: shown } });
}

function findContradictions(values: z.infer<typeof Environment>): string[] {
  const needsProvider = [
    ["CHAT_MODEL", values.CHAT_MODEL],
    ["EMBEDDING_MODEL", values.EMBEDDING_MODEL],
  ] as const;
  if (values.OPENAI_API_KEY !== undefined || values.OPENAI_BASE_URL !== undefined) return [];
  return needsProvider
    .filter(([, value]) => value !== undefined)
    .map(([variable]) => `${variable}: needs OPENAI_API_KEY or OPENAI_BASE_URL; set one, or unset ${variable}`);
}

/**
 * What `npm start` needs besides: a bot token, and an app token (Socket Mode) or a signing secret (HTTP).
 * @throws ConfigurationError naming every missing variable.
 */
export function assertSlackConfigured(config: Config): void {
  const problems: string[] = [];
  if (config.slack.botToken === null) {
    problems.push("SLACK_BOT_TOKEN: missing; copy it from your Slack app's page OAuth & Permissions");
  }
  if (config.slack.appToken === null && config.slack.signingSecret === null) {
    problems.push("SLACK_APP_TOKEN or SLACK_SIGNING_SECRET: set the first for Socket Mode, or the second for HTTP");
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
}
