import { App, HTTPReceiver, type AppOptions } from "@slack/bolt";
import { WebClient, type WebClientOptions } from "@slack/web-api";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { AnswerAudience } from "../answering/answer-audience.ts";
import type { Config } from "../config.ts";
import { PipelineError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import { createAnswerQuestion } from "./answer-question.ts";
import { createDeliverReply } from "./deliver-reply.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import { createPoster } from "./post-message.ts";
import { createThreadReader } from "./read-thread.ts";
import { registerListeners } from "./register-listeners.ts";
import { createBoltLogger } from "./bolt-logger.ts";
import { createWhoIsWho, errorCode } from "./who-is-who.ts";

export interface SlackBot {
  /** @throws PipelineError `dependency` when Slack can't be reached or the port is taken. */
  start(): Promise<void>;
  /** Takes nothing new, and waits for what runs, but not beyond the deadline. */
  stop(deadlineMs: number): Promise<void>;
}

export interface SlackBotParts {
  readonly settings: Config["slack"];
  readonly policy: () => AccessPolicy;
  readonly answer: AnswerAudience;
  readonly state: BotState;
  readonly log: Logger;
}

const LOOK_UP_TIMEOUT_MS = 5000;
const POST_TIMEOUT_MS = 10_000;

/**
 * The bot on Slack, in Socket Mode with an app token, else over HTTP at `/slack/events`.
 * @throws PipelineError `dependency` when Slack refuses the bot token.
 */
export async function createSlackBot({ settings, policy, answer, state, log }: SlackBotParts): Promise<SlackBot> {
  const token = settings.botToken ?? "";
  // Bolt changes the options that it is given: each client gets its own.
  const clientOptions = (timeout: number, retries: number): WebClientOptions => ({
    slackApiUrl: settings.apiUrl,
    timeout,
    retryConfig: { retries, minTimeout: 200, maxTimeout: 500 },
    rejectRateLimitedCalls: true,
    logger: createBoltLogger(log),
  });
  const app = new App({
    ...transport(settings, log),
    token,
    clientOptions: clientOptions(LOOK_UP_TIMEOUT_MS, 1),
    logger: createBoltLogger(log),
    deferInitialization: true,
  });
  const identity = await app
    .init()
    .then(() => app.client.auth.test({ token }))
    .catch((cause: unknown) => {
      throw new PipelineError(
        "dependency",
        `Slack refused the bot token (${errorCode(cause)}); check SLACK_BOT_TOKEN`,
        { cause },
      );
    });
  const client = new WebClient(token, clientOptions(LOOK_UP_TIMEOUT_MS, 1));
  const posting = new WebClient(token, clientOptions(POST_TIMEOUT_MS, 0));
  const teamId = identity.team_id ?? "";
  const botUserId = identity.user_id ?? "";

  const whoIsWho = createWhoIsWho({ client, teamId, botUserId, policy, log });
  const answerQuestion = createAnswerQuestion({
    policy,
    state,
    whoIsWho,
    readThread: createThreadReader({ client, state, botUserId, log }),
    answer,
    deliver: createDeliverReply({ poster: createPoster(posting, log), policy, state, log }),
    log,
  });
  let stopped = false;
  const running = new Set<Promise<void>>();
  const accept = (question: IncomingQuestion) => {
    const work = answerQuestion(question).finally(() => running.delete(work));
    running.add(work);
  };
  registerListeners(app, { teamId, botUserId, policy, whoIsWho, accept, log });
  app.error(async (error) => log.error({ reason: errorCode(error) }, "listener_failed"));

  return {
    async start() {
      await app.start(settings.port).catch((cause: unknown) => {
        const { code } = cause as NodeJS.ErrnoException;
        const reason = code === "EADDRINUSE" ? `port ${settings.port} is taken; set PORT` : errorCode(cause);
        throw new PipelineError("dependency", `the bot could not connect to Slack (${reason})`, { cause });
      });
    },
    async stop(deadlineMs) {
      if (stopped) return;
      stopped = true;
      await app.stop();
      const deadline = new Promise<void>((resolve) => setTimeout(resolve, deadlineMs).unref());
      await Promise.race([Promise.allSettled(running), deadline]);
      if (running.size > 0) log.warn({ left: running.size }, "stopped_before_all_was_answered");
    },
  };
}

function transport(settings: Config["slack"], log: Logger): AppOptions {
  if (settings.appToken !== null) return { socketMode: true, appToken: settings.appToken };
  return {
    receiver: new HTTPReceiver({
      signingSecret: settings.signingSecret ?? "",
      endpoints: "/slack/events",
      logger: createBoltLogger(log),
      customRoutes: [
        { path: "/healthz", method: "GET", handler: (_request, response) => response.writeHead(200).end("ok") },
      ],
      // `app_rate_limited` is no event that Bolt knows; anything else that nobody took is acknowledged too.
      unhandledRequestHandler: ({ response }) => response.writeHead(200).end(),
    }),
  };
}
