import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

import { WebSocketServer, type WebSocket } from "ws";

import type { Attempt, SendOnce, Timing } from "./deliver.ts";

export interface SocketDelivery {
  readonly send: SendOnce;
  /** A new address, good for one connection. */
  createUrl(origin: string): string;
  connected(): Promise<void>;
  count(): number;
  /** Was the bot ever connected? */
  wasConnected(): boolean;
  /** Asks the bot to connect anew, as Slack does about once an hour (`warning`, `refresh_requested`). */
  disconnect(reason: string): void;
  /** The next connections get `too_many_websockets` instead of `hello`. */
  refuseNext(times: number): void;
  /** Closes the connection without a word. */
  drop(): void;
  close(): Promise<void>;
}

/** How long a bot has for its side of the closing handshake. */
const CLOSE_MS = 200;

/** Socket Mode: envelopes over a websocket on the stand-in's own server, acknowledged by id. */
export function createSocketDelivery(server: Server, appId: string, { ackTimeoutMs }: Timing): SocketDelivery {
  const sockets = new Set<WebSocket>();
  const tickets = new Set<string>();
  const waiting = new Map<string, (payload: unknown) => void>();
  let onConnected: (() => void)[] = [];
  let refusals = 0;
  let everConnected = false;

  const verifyClient = ({ req }: { req: IncomingMessage }) =>
    tickets.delete(new URL(req.url ?? "", "ws://127.0.0.1").searchParams.get("ticket") ?? "");
  const wss = new WebSocketServer({ server, path: "/socket", verifyClient });
  wss.on("connection", (socket) => {
    socket.on("error", () => socket.terminate());
    if (refusals > 0) {
      refusals -= 1;
      return sayGoodbye(socket, "too_many_websockets");
    }
    sockets.add(socket);
    everConnected = true;
    socket.on("close", () => sockets.delete(socket));
    socket.on("message", (data: Buffer) => {
      const { envelope_id: id, payload } = JSON.parse(data.toString()) as { envelope_id?: string; payload?: unknown };
      if (id !== undefined) waiting.get(id)?.(payload);
    });
    const hello = { connection_info: { app_id: appId }, debug_info: { host: "stand-in" } };
    socket.send(JSON.stringify({ type: "hello", num_connections: sockets.size, ...hello }));
    for (const resolve of onConnected) resolve();
    onConnected = [];
  });

  function sayGoodbye(socket: WebSocket, reason: string): void {
    sockets.delete(socket);
    socket.send(JSON.stringify({ type: "disconnect", reason, debug_info: { host: "stand-in" } }));
    // A warning comes about ten seconds before Slack closes; Bolt closes by itself.
    if (reason !== "warning") socket.close();
  }

  return {
    async send(type, payload, retry, options) {
      // Slack takes any of an app's connections; the newest here, so that a test knows which.
      const socket = [...sockets].findLast(({ readyState, OPEN }) => readyState === OPEN);
      if (socket === undefined) return { status: null, body: "", reason: options.retryReason ?? "timeout" };
      const id = randomUUID();
      const acknowledged = new Promise<Attempt>((resolve) => {
        waiting.set(id, (answer) => resolve({ status: 200, body: JSON.stringify(answer ?? {}), reason: null }));
      });
      const attempt = retry === null ? { retry_attempt: 0 } : { retry_attempt: retry.num, retry_reason: "timeout" };
      const accepts = { accepts_response_payload: type !== "events_api" };
      socket.send(
        JSON.stringify({ envelope_id: id, type, ...accepts, payload, ...(type === "events_api" ? attempt : {}) }),
      );
      const late: Attempt = { status: null, body: "", reason: "timeout" };
      const result = await Promise.race([acknowledged, sleep(ackTimeoutMs, late, { ref: false })]);
      waiting.delete(id);
      return result;
    },
    createUrl(origin) {
      const ticket = randomUUID();
      tickets.add(ticket);
      return `${origin.replace("http:", "ws:")}/socket?ticket=${ticket}`;
    },
    connected: () => (sockets.size > 0 ? Promise.resolve() : new Promise((resolve) => void onConnected.push(resolve))),
    count: () => sockets.size,
    wasConnected: () => everConnected,
    disconnect(reason) {
      for (const socket of sockets) sayGoodbye(socket, reason);
    },
    refuseNext: (times) => void (refusals = times),
    drop() {
      for (const socket of sockets) socket.terminate();
      sockets.clear();
    },
    async close() {
      for (const socket of wss.clients) socket.close();
      const closed = new Promise((resolve) => wss.close(resolve));
      await Promise.race([closed, sleep(CLOSE_MS, undefined, { ref: false })]);
      for (const socket of wss.clients) socket.terminate();
      await closed;
    },
  };
}
