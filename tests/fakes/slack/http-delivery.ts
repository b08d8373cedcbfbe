import { createHmac } from "node:crypto";

import type { EnvelopeType, Payload, SendOnce, Timing } from "./deliver.ts";
import type { SlackBotIdentity } from "./slack-world.ts";

/** Signed requests to the bot's address: events as JSON, commands and actions as forms. */
export function createHttpDelivery(
  address: string,
  bot: SlackBotIdentity,
  { ackTimeoutMs }: Timing,
  stopped: AbortSignal,
): SendOnce {
  return async (type, payload, retry, { signedAt = Date.now(), signingSecret = bot.signingSecret }) => {
    const { contentType, body } = encodePayload(type, payload);
    const timestamp = String(Math.floor(signedAt / 1000));
    const signature = createHmac("sha256", signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
    const headers: Record<string, string> = {
      "content-type": contentType,
      "user-agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${signature}`,
      ...(retry === null ? {} : { "x-slack-retry-num": String(retry.num), "x-slack-retry-reason": retry.reason }),
    };
    const timeout = AbortSignal.timeout(ackTimeoutMs);
    try {
      const signal = AbortSignal.any([timeout, stopped]);
      const response = await fetch(address, { method: "POST", headers, body, signal, redirect: "manual" });
      const noRetry = response.headers.get("x-slack-no-retry") === "1";
      return {
        status: response.status,
        body: await response.text(),
        reason: response.ok ? null : "http_error",
        noRetry,
      };
    } catch {
      return { status: null, body: "", reason: timeout.aborted ? "http_timeout" : "connection_failed" };
    }
  };
}

function encodePayload(type: EnvelopeType, payload: Payload): { contentType: string; body: string } {
  const form = "application/x-www-form-urlencoded";
  switch (type) {
    case "events_api":
      return { contentType: "application/json", body: JSON.stringify(payload) };
    case "interactive":
      return { contentType: form, body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString() };
    case "slash_commands":
      return { contentType: form, body: new URLSearchParams(payload as Record<string, string>).toString() };
  }
}
