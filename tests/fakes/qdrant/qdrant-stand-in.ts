import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { onTestFinished } from "vitest";

import { Refused } from "./collection.ts";
import { handleRequest, type QdrantRequest, type QdrantState } from "./handle-request.ts";

/** What happens to one request instead of, before or after its work. */
export interface Fault {
  /** Which request; left out: the next one. */
  readonly when?: (request: QdrantRequest) => boolean;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly delayMs?: number;
  /** The connection breaks before the work, or after it: then the answer is lost. */
  readonly connection?: "refused" | "lost";
}

export interface QdrantStandIn extends QdrantState {
  readonly url: string;
  readonly requests: QdrantRequest[];
  /** Each fault strikes once, in order. */
  readonly faults: Fault[];
  /** After so many more requests every connection breaks, until `revive`. */
  dieAfter(requests: number): void;
  revive(): void;
}

const LARGEST_BODY = 32 * 1024 * 1024;

/** A Qdrant server on loopback that checks every request against the documented forms. */
export async function createQdrantStandIn({
  apiKey = null,
  prefix = "",
}: { readonly apiKey?: string | null; readonly prefix?: string } = {}): Promise<QdrantStandIn> {
  const state: QdrantState = { collections: new Map(), aliases: new Map() };
  const requests: QdrantRequest[] = [];
  const faults: Fault[] = [];
  let left = Number.POSITIVE_INFINITY;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const read = await readRequest(request, prefix);
    left -= 1;
    if (left < 0) return void response.destroy();
    requests.push(read);
    const fault = takeFault(faults, read);
    if (fault?.delayMs !== undefined) await sleep(fault.delayMs, undefined, { ref: false });
    if (fault?.connection === "refused") return void response.destroy();
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, fault.headers).end(fault.body ?? refusal("Service internal error"));
      return;
    }
    if (apiKey !== null && request.headers["api-key"] !== apiKey) {
      response.writeHead(401).end("Must provide an API key or an Authorization bearer token");
      return;
    }
    const { status, body } = work(state, read);
    if (fault?.connection === "lost") return void response.destroy();
    response.writeHead(status, { "content-type": "application/json" }).end(fault?.body ?? body);
  }

  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    ...state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    requests,
    faults,
    dieAfter: (count) => (left = count),
    revive: () => (left = Number.POSITIVE_INFINITY),
  };
}

function work(state: QdrantState, request: QdrantRequest): { status: number; body: string } {
  if (request.body.length > LARGEST_BODY) return { status: 413, body: refusal("Payload too large") };
  try {
    const result = handleRequest(state, request);
    return { status: 200, body: JSON.stringify({ result, status: "ok", time: 0.001 }) };
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, body: refusal(error.message) };
    return { status: 500, body: refusal(String(error)) };
  }
}

function refusal(error: string): string {
  return JSON.stringify({ status: { error }, time: 0.001 });
}

function takeFault(faults: Fault[], request: QdrantRequest): Fault | undefined {
  const at = faults.findIndex(({ when }) => when === undefined || when(request));
  return at < 0 ? undefined : faults.splice(at, 1)[0];
}

async function readRequest(request: IncomingMessage, prefix: string): Promise<QdrantRequest> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece as Buffer);
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  const path = pathname.startsWith(`${prefix}/`) ? pathname.slice(prefix.length) : `/outside-the-prefix${pathname}`;
  return { method: request.method ?? "", path, search: searchParams, body: Buffer.concat(pieces).toString() };
}
