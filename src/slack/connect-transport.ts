import type { IncomingMessage } from "node:http";

import { HTTPReceiver, SocketModeReceiver, type AppOptions } from "@slack/bolt";
import type { WebClientOptions } from "@slack/web-api";
import { z } from "zod";

import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import { createBoltLogger } from "./bolt-logger.ts";

/** Bolt's own 3001 ms come after Slack has given up. */
const UNHANDLED_AFTER_MS = 2500;
const RawBody = z.looseObject({ rawBody: z.instanceof(Buffer) });

export interface Transport {
  readonly options: AppOptions;
  /** Can Slack's deliveries come? Over HTTP nobody can tell. */
  readonly isConnected: () => boolean;
}

/** Socket Mode with an app token, else HTTP: everything of Slack's at `/slack/events`, and `/healthz` for the operator. */
export function chooseTransport(
  settings: Config["slack"],
  clientOptions: WebClientOptions,
  isReady: () => boolean,
  log: Logger,
): Transport {
  return settings.appToken === null
    ? { options: { receiver: createHttpReceiver(settings, isReady, log) }, isConnected: () => true }
    : connectSocket(settings.appToken, clientOptions, log);
}

function connectSocket(appToken: string, clientOptions: WebClientOptions, log: Logger): Transport {
  const logger = createBoltLogger(log);
  const receiver = new SocketModeReceiver({ appToken, logger, installerOptions: { clientOptions } });
  let connected = false;
  receiver.client.on("connected", () => (connected = true));
  for (const end of ["disconnected", "disconnecting", "reconnecting"]) {
    receiver.client.on(end, () => (connected = false));
  }
  return { options: { socketMode: true, receiver }, isConnected: () => connected };
}

function createHttpReceiver(settings: Config["slack"], isReady: () => boolean, log: Logger): HTTPReceiver {
  return new HTTPReceiver({
    signingSecret: settings.signingSecret ?? "",
    endpoints: "/slack/events",
    logger: createBoltLogger(log),
    customRoutes: [
      {
        path: "/healthz",
        method: "GET",
        handler: (_request, response) =>
          isReady() ? response.writeHead(200).end("ok") : response.writeHead(503).end("stopping"),
      },
    ],
    // Checked before any listener (guard-deliveries.ts).
    customPropertiesExtractor: ({ headers }) => ({ sentAt: Number(headers["x-slack-request-timestamp"]) * 1000 }),
    unhandledRequestTimeoutMillis: UNHANDLED_AFTER_MS,
    unhandledRequestHandler({ request, response }) {
      const rateLimited = isRateLimitNotice(request);
      if (rateLimited) log.warn("slack_limits_our_events");
      response.writeHead(rateLimited ? 200 : 404).end();
    },
  });
}

/** `app_rate_limited` is no event that Bolt knows. */
function isRateLimitNotice(request: IncomingMessage): boolean {
  const parsed = RawBody.safeParse(request);
  return parsed.success && /"type"\s*:\s*"app_rate_limited"/.test(parsed.data.rawBody.toString("utf8"));
}
