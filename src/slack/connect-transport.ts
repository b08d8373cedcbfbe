import type { IncomingMessage } from "node:http";

import { HTTPReceiver, type AppOptions } from "@slack/bolt";
import { z } from "zod";

import type { Config } from "../config.ts";
import type { Logger } from "../logger.ts";
import { createBoltLogger } from "./bolt-logger.ts";

/** Bolt's own 3001 ms come after Slack has given up. */
const UNHANDLED_AFTER_MS = 2500;
const RawBody = z.looseObject({ rawBody: z.instanceof(Buffer) });

/** Socket Mode with an app token, else HTTP: everything of Slack's at `/slack/events`, and `/healthz` for the operator. */
export function chooseTransport(settings: Config["slack"], isReady: () => boolean, log: Logger): AppOptions {
  if (settings.appToken !== null) return { socketMode: true, appToken: settings.appToken };
  return {
    receiver: new HTTPReceiver({
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
    }),
  };
}

/** `app_rate_limited` is no event that Bolt knows. */
function isRateLimitNotice(request: IncomingMessage): boolean {
  const parsed = RawBody.safeParse(request);
  return parsed.success && /"type"\s*:\s*"app_rate_limited"/.test(parsed.data.rawBody.toString("utf8"));
}
