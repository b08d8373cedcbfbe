import { createHmac, randomUUID } from "node:crypto";
import type { Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { WebSocketServer, type WebSocket } from "ws";

import type { SlackBotIdentity } from "./slack-world.ts";

export type EnvelopeType = "events_api" | "slash_commands" | "interactive";

export interface DeliveryOptions {
  /** As if Slack had tried before. */
  readonly retryNum?: number;
  readonly retryReason?: string;
  /** Slack gives up at once when the bot does not acknowledge. */
  readonly noRetries?: boolean;
}

export interface Delivery {
  readonly acknowledged: boolean;
  /** Milliseconds until the first acknowledgement. */
  readonly ackMs: number;
  readonly attempts: number;
  readonly status: number | null;
}

export interface Transport {
  deliver(type: EnvelopeType, payload: object, options?: DeliveryOptions): Promise<Delivery>;
  close(): Promise<void>;
}

/** Slack waits 3 s, then tries at once, after a minute and after five; the pauses are shortened here. */
const ACK_MS = 3000;
const RETRY_PAUSES_MS = [0, 200, 400];

async function withRetries(
  attempt: (retry: number) => Promise<number | null>,
  { noRetries = false, retryNum = 0 }: DeliveryOptions,
): Promise<Delivery> {
  const started = performance.now();
  let status: number | null = null;
  for (let attempts = 1; ; attempts += 1) {
    status = await attempt(retryNum + attempts - 1);
    const acknowledged = status !== null && status >= 200 && status < 300;
    if (acknowledged || noRetries || attempts > RETRY_PAUSES_MS.length) {
      return { acknowledged, ackMs: performance.now() - started, attempts, status };
    }
    await sleep(RETRY_PAUSES_MS[attempts - 1]);
  }
}

/** Signed requests to the bot's address; commands and actions as forms, events as JSON. */
export function createHttpTransport(address: string, bot: SlackBotIdentity, now = () => Date.now()): Transport {
  return {
    deliver: (type, payload, options = {}) =>
      withRetries(async (retry) => {
        const json = JSON.stringify(payload);
        const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
        const body =
          type === "events_api"
            ? json
            : type === "interactive"
              ? form({ payload: json })
              : form(payload as Record<string, string>);
        const timestamp = String(Math.floor(now() / 1000));
        const signature = createHmac("sha256", bot.signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
        const headers: Record<string, string> = {
          "content-type": type === "events_api" ? "application/json" : "application/x-www-form-urlencoded",
          "x-slack-request-timestamp": timestamp,
          "x-slack-signature": `v0=${signature}`,
        };
        if (retry > 0) {
          headers["x-slack-retry-num"] = String(retry);
          headers["x-slack-retry-reason"] = options.retryReason ?? "http_timeout";
        }
        const request = { method: "POST", headers, body, signal: AbortSignal.timeout(ACK_MS) };
        return fetch(address, request).then(
          async (response) => {
            await response.arrayBuffer();
            return response.status;
          },
          () => null,
        );
      }, options),
    close: async () => undefined,
  };
}

export interface SocketTransport extends Transport {
  readonly server: WebSocketServer;
  connected(): Promise<void>;
  /** Asks the bot to connect anew, as Slack does about once an hour. */
  disconnect(reason: string): void;
}

/** Socket Mode: envelopes over a websocket on the stand-in's own server, acknowledged by id. */
export function createSocketTransport(server: Server): SocketTransport {
  const sockets = new Set<WebSocket>();
  const waiting = new Map<string, () => void>();
  let onConnected: (() => void)[] = [];
  const wss = new WebSocketServer({ server, path: "/socket" });
  wss.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data: Buffer) => {
      const { envelope_id: id } = JSON.parse(data.toString()) as { envelope_id?: string };
      if (id !== undefined) waiting.get(id)?.();
    });
    socket.send(
      JSON.stringify({ type: "hello", num_connections: sockets.size, connection_info: { app_id: "A0RUNBOT" } }),
    );
    for (const resolve of onConnected) resolve();
    onConnected = [];
  });

  const connected = () =>
    sockets.size > 0 ? Promise.resolve() : new Promise<void>((resolve) => void onConnected.push(resolve));

  return {
    server: wss,
    connected,
    disconnect(reason) {
      for (const socket of sockets) {
        socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: {} }));
        socket.close();
      }
    },
    deliver: (type, payload, options = {}) =>
      withRetries(async (retry) => {
        // A bot that is starved of time loses its socket and comes back; Slack would try again for minutes.
        if (sockets.size === 0) await Promise.race([connected(), sleep(ACK_MS, null, { ref: false })]);
        const [socket] = [...sockets].slice(-1);
        if (socket === undefined) return null;
        const id = randomUUID();
        const acknowledged = new Promise<number>((resolve) => waiting.set(id, () => resolve(200)));
        const retries =
          retry > 0 ? { retry_attempt: retry, retry_reason: options.retryReason ?? "timeout" } : { retry_attempt: 0 };
        socket.send(
          JSON.stringify({
            envelope_id: id,
            type,
            accepts_response_payload: type !== "events_api",
            payload,
            ...retries,
          }),
        );
        const result = await Promise.race([acknowledged, sleep(ACK_MS, null, { ref: false })]);
        waiting.delete(id);
        return result;
      }, options),
    async close() {
      for (const socket of sockets) socket.terminate();
      await new Promise((resolve) => wss.close(resolve));
    },
  };
}
