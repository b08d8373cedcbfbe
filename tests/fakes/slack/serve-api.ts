import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { answerCall } from "./answer-call.ts";
import type { ApiArguments, ApiCall, Board } from "./board.ts";
import type { Fault, Faults } from "./faults.ts";
import type { ResponseUrls } from "./response-urls.ts";

export interface ApiServer {
  readonly server: Server;
  /** `http://127.0.0.1:…` */
  readonly origin: string;
}

/** Serves `/api/*` and `/response/*` on loopback; the faults of a test come first. */
export async function serveApi(board: Board, faults: Faults, responseUrls: ResponseUrls): Promise<ApiServer> {
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      board.violations.push({ method: request.url ?? "", what: `the stand-in itself failed: ${String(error)}` });
      response.writeHead(500).end(JSON.stringify({ ok: false, error: "stand_in_failed" }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    const [, area, name = ""] = pathname.split("/");
    const args = { ...Object.fromEntries(searchParams), ...(await readBody(request)) };
    if (area !== "api" && area !== "response") return void response.writeHead(404).end();
    const method = area === "response" ? "response_url" : name;
    const { token: _token, ...shown } = args as { token?: unknown } & ApiArguments;
    const call: ApiCall = { method, args: shown, result: "pending" };
    board.calls.push(call);
    const fault = faults.take(method, args);
    if (fault !== null && (await replaceAnswer(fault, call, response))) return;
    const { status, body, result } =
      area === "response" ? useResponseUrl(name, args) : answer(method, args, request.headers.authorization);
    call.result = fault?.kind === "drop_response" ? "drop_response" : result;
    if (fault?.kind === "drop_response") return void request.socket.destroy();
    response.writeHead(status, {
      "content-type": "application/json",
      "x-oauth-scopes": board.world.bot.scopes.join(","),
    });
    response.end(body);
  }

  function answer(method: string, args: ApiArguments, authorization = "") {
    const token = /^Bearer (.+)$/.exec(authorization)?.[1] ?? (typeof args["token"] === "string" ? args["token"] : "");
    const result = answerCall(method, token, args, board);
    return { status: 200, body: JSON.stringify(result), result: result.error ?? "ok" };
  }

  function useResponseUrl(id: string, args: ApiArguments) {
    const used = responseUrls.use(id, args);
    return { ...used, result: used.status === 200 ? "ok" : used.body };
  }

  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** True when the fault stands in for the answer. */
async function replaceAnswer(fault: Fault, call: ApiCall, response: ServerResponse): Promise<boolean> {
  const reply = (status: number, body: unknown, headers: Record<string, string> = {}) => {
    call.result = fault.kind === "error" ? (fault.error ?? "internal_error") : fault.kind;
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));
    return true;
  };
  switch (fault.kind) {
    case "delay":
      await sleep(fault.ms ?? 1000);
      return false;
    case "drop_response":
      return false;
    case "drop_request":
      call.result = fault.kind;
      response.socket?.destroy();
      return true;
    case "http500":
      return reply(500, { ok: false, error: "internal_error" });
    case "http503":
      return reply(503, { ok: false, error: "service_unavailable" });
    case "ratelimited":
      return reply(429, { ok: false, error: "ratelimited" }, { "retry-after": String(fault.retryAfter ?? 1) });
    case "error":
      return reply(200, { ok: false, error: fault.error ?? "internal_error" });
  }
}

/** Forms carry these as JSON in a field; what is no JSON stays text, for the method to refuse. */
const JSON_FIELDS = new Set(["attachments", "blocks", "loading_messages", "metadata", "view"]);

async function readBody(request: IncomingMessage): Promise<ApiArguments> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString();
  if (body === "") return {};
  if (request.headers["content-type"]?.includes("application/json")) return JSON.parse(body) as ApiArguments;
  const fields = [...new URLSearchParams(body)];
  return Object.fromEntries(fields.map(([name, value]) => [name, JSON_FIELDS.has(name) ? parseField(value) : value]));
}

function parseField(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
