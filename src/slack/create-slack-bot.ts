import { App } from "@slack/bolt";
import type { WebClientOptions } from "@slack/web-api";
import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { AnswerAudience } from "../answering/answer-audience.ts";
import type { AuditTrail } from "../audit/write-audit.ts";
import type { Config } from "../config.ts";
import { PipelineError } from "../errors.ts";
import type { RecordFeedback } from "../feedback/write-feedback.ts";
import type { Logger } from "../logger.ts";
import { createMetrics, type Metrics } from "../operate/metrics.ts";
import type { BotState } from "../store/open-state.ts";
import { acknowledgeLast } from "./acknowledge-last.ts";
import { createAnswerQuestion } from "./answer-question.ts";
import { createBoltLogger } from "./bolt-logger.ts";
import { chooseTransport } from "./connect-transport.ts";
import { WatchedClient, type SlackHealth } from "./create-slack-client.ts";
import { createDeliverReply } from "./deliver-reply.ts";
import { describeStatus, type Operations } from "./describe-status.ts";
import { errorCode, isDeadToken, isUnreadable, refusalOf } from "./describe-error.ts";
import type { ThreadReplies } from "./listen-to-messages.ts";
import { guardDeliveries } from "./guard-deliveries.ts";
import { createPoster } from "./post-message.ts";
import { createThreadReader } from "./read-thread.ts";
import { runOutbox } from "./run-outbox.ts";
import { registerListeners, type BotIdentity } from "./register-listeners.ts";
import { HELP, renderSentence } from "./render-answer.ts";
import { createShowHome } from "./show-home.ts";
import type { FindRunbooks } from "./warn-of-stale.ts";
import { createWhoIsWho } from "./who-is-who.ts";

export interface SlackBot {
  /** @throws PipelineError `dependency` when Slack can't be reached or the port is taken. */
  start(): Promise<void>;
  /** Takes nothing new, and waits for what runs, but not beyond the deadline. */
  stop(deadlineMs: number): Promise<void>;
  /** Why it answers nothing now; none: it does. */
  findProblems(): string[];
  /** Questions that are being answered. */
  openQuestions(): number;
}

export interface SlackBotParts {
  readonly settings: Config["slack"];
  readonly policy: () => AccessPolicy;
  readonly answer: AnswerAudience;
  readonly state: BotState;
  readonly audit: AuditTrail;
  /** A question that could not be answered for so long is answered by an apology. */
  readonly answerWithinMs?: number;
  readonly threadReplies?: ThreadReplies;
  /** For `/runbook status`. */
  readonly operations?: Omit<Operations, "open">;
  readonly metrics?: Metrics;
  readonly recordFeedback?: RecordFeedback;
  /** For the age of what is quoted; left out: no age is shown. */
  readonly findRunbooks?: FindRunbooks;
  readonly log: Logger;
}

/** A bot without an access file that is watched, as in the demo. */
const UNKNOWN_OPERATIONS: Omit<Operations, "open"> = {
  policyStatus: () => ({ state: "good", since: Date.now(), problems: [] }),
  currentIndex: async () => null,
};
const ANSWER_WITHIN_MS = 10 * 60_000;
const LOOK_UP_TIMEOUT_MS = 5000;
const POST_TIMEOUT_MS = 10_000;
const AuthTest = z.looseObject({
  team_id: z.string(),
  enterprise_id: z.string().nullish(),
  user_id: z.string(),
  user: z.string().default("runbook-bot"),
});

/**
 * The bot on Slack, in Socket Mode with an app token, else over HTTP at `/slack/events`.
 * @throws PipelineError `dependency` when Slack refuses the bot token.
 */
export async function createSlackBot({
  settings,
  policy,
  answer,
  state,
  audit,
  answerWithinMs = ANSWER_WITHIN_MS,
  threadReplies = "mentions",
  operations = UNKNOWN_OPERATIONS,
  metrics = createMetrics(),
  recordFeedback = async () => undefined,
  findRunbooks = async () => [],
  log,
}: SlackBotParts): Promise<SlackBot> {
  const token = settings.botToken ?? "";
  let ready = false;
  // Bolt changes the options that it is given: each client gets its own.
  const clientOptions = (timeout: number, retries: number): WebClientOptions => ({
    slackApiUrl: settings.apiUrl,
    timeout,
    retryConfig: { retries, minTimeout: 200, maxTimeout: 500 },
    rejectRateLimitedCalls: true,
    logger: createBoltLogger(log),
  });
  const transport = chooseTransport(settings, clientOptions(LOOK_UP_TIMEOUT_MS, 1), () => ready, log);
  const app = new App({
    ...transport.options,
    token,
    clientOptions: clientOptions(LOOK_UP_TIMEOUT_MS, 1),
    logger: createBoltLogger(log),
    deferInitialization: true,
  });
  const identity = await identify(app, token);
  const health: SlackHealth = {
    tokenRefused: false,
    onCall: (method, outcome) => metrics.count("runbook_slack_calls_total", { method, outcome }),
  };
  const client = new WatchedClient(token, clientOptions(LOOK_UP_TIMEOUT_MS, 1), health);
  const posting = new WatchedClient(token, clientOptions(POST_TIMEOUT_MS, 0), health);

  const { teamId, botUserId, botName } = identity;
  const whoIsWho = createWhoIsWho({ client, teamId, botUserId, policy, log });
  const answerQuestion = createAnswerQuestion({
    policy,
    state,
    whoIsWho,
    findRunbooks,
    readThread: createThreadReader({ client, state, botUserId, log }),
    answer,
    deliver: createDeliverReply({
      poster: createPoster(posting, state.outbox.posts, log),
      policy,
      state,
      botName,
      log,
    }),
    audit,
    status: async ({ principal, audience }) =>
      principal === null
        ? renderSentence(HELP)
        : describeStatus({ ...operations, open: () => outbox.size() }, policy(), principal, audience.caller),
    isTokenRefused: () => health.tokenRefused,
    answerWithinMs,
    log,
  });
  const outbox = runOutbox(state, answerQuestion, metrics, log);
  acknowledgeLast(app);
  guardDeliveries(app, identity, log);
  const showHome = createShowHome({ client, whoIsWho, policy, log });
  registerListeners(app, {
    showHome,
    whenAnswered: (claim) => outbox.whenAnswered(claim),
    recordFeedback,
    metrics,
    threadReplies,
    identity,
    policy,
    whoIsWho,
    state,
    accept: (question) => outbox.accept(question),
    apiUrl: settings.apiUrl,
    log,
  });
  app.error(async (error) => {
    log.error({ reason: errorCode(error) }, "listener_failed");
    // What can't be read won't be readable the next time; anything else Slack shall deliver again.
    if (!isUnreadable(error)) throw error;
  });

  return {
    async start() {
      await app.start(settings.port).catch((cause: unknown) => {
        throw new PipelineError("dependency", describeStartFailure(cause, settings), { cause });
      });
      ready = true;
      outbox.resume();
    },
    findProblems: () => [
      ...(ready && transport.isConnected() ? [] : ["not connected to Slack"]),
      ...(health.tokenRefused ? ["Slack refuses the bot token"] : []),
    ],
    openQuestions: () => outbox.size(),
    async stop(deadlineMs) {
      if (!ready) return;
      ready = false;
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, deadlineMs).unref());
      const drained = app.stop().then(() => outbox.drained());
      await Promise.race([drained, deadline]);
      if (outbox.size() > 0) log.warn({ left: outbox.size() }, "stopped_before_all_was_answered");
    },
  };
}

/** Who we are to Slack. Bolt's own start would resolve with a bad token, and die later. */
async function identify(app: App, token: string): Promise<BotIdentity> {
  try {
    await app.init();
    const {
      team_id: teamId,
      enterprise_id,
      user_id: botUserId,
      user,
    } = AuthTest.parse(await app.client.auth.test({ token }));
    return { teamId, enterpriseId: enterprise_id ?? null, botUserId, botName: user };
  } catch (cause) {
    const reason = errorCode(cause);
    const message = isRefusedToken(cause)
      ? `Slack refused the bot token (${reason}); check SLACK_BOT_TOKEN`
      : `Slack could not say who the bot is (${reason}); check SLACK_BOT_TOKEN, SLACK_API_URL and the network`;
    throw new PipelineError("dependency", message, { cause });
  }
}

function describeStartFailure(cause: unknown, settings: Config["slack"]): string {
  if ((cause as NodeJS.ErrnoException).code === "EADDRINUSE") {
    return `port ${settings.port} is taken; set PORT to a free one`;
  }
  const reason = errorCode(cause);
  return settings.appToken !== null && isRefusedToken(cause)
    ? `Slack refused the app-level token (${reason}); check SLACK_APP_TOKEN and its scope connections:write`
    : `the bot could not connect to Slack (${reason})`;
}

function isRefusedToken(cause: unknown): boolean {
  const refusal = refusalOf(cause);
  return isDeadToken(refusal) || refusal === "missing_scope";
}
