import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { findBrokenMarkup, findLiveTokens, findMessageFault } from "./check-message.ts";
import { createHttpTransport, createSocketTransport, type Transport } from "./deliver.ts";
import { createPeople, type People } from "./people.ts";
import type { SlackMessageRecord, SlackWorld } from "./slack-world.ts";
import { answerCall, type ApiArguments } from "./web-api.ts";

/** What goes wrong with the next calls of a method. */
export interface Fault {
  readonly kind: "ratelimited" | "http500" | "drop_request" | "drop_response" | "delay" | "error";
  readonly times?: number;
  readonly retryAfter?: number;
  readonly error?: string;
  readonly ms?: number;
}

export interface ApiCall {
  readonly method: string;
  readonly args: ApiArguments;
}

/**
 * Slack's part in demo and tests, on loopback: Web API, response_url, signed HTTP delivery and Socket Mode. It is as
 * strict as Slack's documentation says about tokens, scopes, membership and Block Kit; where that is silent it assumes.
 */
export interface SlackStandIn extends People {
  readonly world: SlackWorld;
  readonly apiUrl: string;
  readonly calls: readonly ApiCall[];
  /** Everything the bot posted, ephemeral ones too, in order. */
  readonly posted: readonly SlackMessageRecord[];
  readonly messages: readonly SlackMessageRecord[];
  /** Whom the bot's posts notified or linked to, and markup that would show broken. */
  liveTokens(): { notified: string[]; links: string[]; broken: string[] };
  /** What one person sees in a channel: the messages of all, and the ephemeral ones that are theirs. */
  visibleTo(userId: string, channelId: string): SlackMessageRecord[];
  fault(method: string, fault: Fault): void;
  connectHttp(address: string): void;
  connectSocket(): Promise<void>;
  disconnectSocket(reason: string): void;
  /** Waits until `holds`, checked after each call of the bot. @throws after `timeoutMs`. */
  waitFor(holds: () => boolean, timeoutMs?: number): Promise<void>;
  /** Waits until the bot has asked nothing for a while. */
  settle(quietMs?: number): Promise<void>;
  stop(): Promise<void>;
}

/** response_url: five uses within 30 minutes. */
const RESPONSE_USES = 5;

export async function createSlackStandIn(
  world: SlackWorld,
  firstTs = Math.floor(Date.now() / 1000),
): Promise<SlackStandIn> {
  const calls: ApiCall[] = [];
  const messages: SlackMessageRecord[] = [];
  const faults: { method: string; left: number; fault: Fault }[] = [];
  const responses = new Map<string, { uses: number; channel: string; user: string }>();
  let clock = 0;
  let lastCall = performance.now();
  let transport: Transport | null = null;
  const nextTs = () => `${firstTs + ++clock}.${String(clock).padStart(6, "0")}`;

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  const socket = createSocketTransport(server);
  const board = { messages, nextTs, socketUrl: () => `ws://127.0.0.1:${port}/socket?ticket=${clock}` };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const args = parseBody(Buffer.concat(chunks).toString(), request.headers["content-type"] ?? "");
    lastCall = performance.now();
    const [, area, name = ""] = (request.url ?? "").split("?")[0]?.split("/") ?? [];
    if (area === "response") return respond(name, args, response);
    const method = name;
    calls.push({ method, args });
    const fault = takeFault(method);
    if (fault?.kind === "delay") await sleep(fault.ms ?? 1000);
    if (fault?.kind === "drop_request") return void request.socket.destroy();
    if (fault?.kind === "http500") return send(response, 500, { ok: false });
    if (fault?.kind === "ratelimited") {
      response.setHeader("retry-after", String(fault.retryAfter ?? 1));
      return send(response, 429, { ok: false, error: "ratelimited" });
    }
    if (fault?.kind === "error") return send(response, 200, { ok: false, error: fault.error ?? "internal_error" });
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? textOf(args["token"]);
    const result = answerCall(method, token, args, world, board);
    if (fault?.kind === "drop_response") return void request.socket.destroy();
    send(response, 200, result);
  }

  function respond(id: string, args: ApiArguments, response: ServerResponse): void {
    const use = responses.get(id);
    if (use === undefined || use.uses >= RESPONSE_USES) return send(response, 404, { ok: false, error: "expired_url" });
    const fault = findMessageFault(args);
    if (fault !== null) return send(response, 400, { ok: false, error: fault });
    use.uses += 1;
    const { channel, user } = use;
    const record = {
      channel,
      ts: nextTs(),
      user: world.bot.userId,
      bot_id: world.bot.botId,
      text: textOf(args["text"]),
    };
    const alone = args["response_type"] === "in_channel" ? {} : { visibleTo: user };
    messages.push({
      ...record,
      ...(args["blocks"] === undefined ? {} : { blocks: args["blocks"] as unknown[] }),
      ...alone,
    });
    send(response, 200, { ok: true });
  }

  function takeFault(method: string): Fault | null {
    const entry = faults.find((candidate) => candidate.method === method && candidate.left > 0);
    if (entry === undefined) return null;
    entry.left -= 1;
    return entry.fault;
  }

  const people = createPeople({
    world,
    messages,
    nextTs,
    deliver: (...delivery) => {
      if (transport === null) throw new Error("the bot is not connected to the stand-in");
      return transport.deliver(...delivery);
    },
    responseUrl(channel, user) {
      const id = `r${responses.size + 1}`;
      responses.set(id, { uses: 0, channel, user });
      return `${origin}/response/${id}`;
    },
  });
  const botPosts = () => messages.filter((message) => message.bot_id === world.bot.botId);

  return {
    ...people,
    world,
    apiUrl: `${origin}/api/`,
    calls,
    messages,
    get posted() {
      return botPosts();
    },
    liveTokens() {
      const found = botPosts().map(findLiveTokens);
      return {
        notified: found.flatMap(({ notified }) => notified),
        links: found.flatMap(({ links }) => links),
        broken: botPosts().flatMap(findBrokenMarkup),
      };
    },
    visibleTo: (userId, channelId) =>
      messages.filter(
        ({ channel, visibleTo }) => channel === channelId && (visibleTo === undefined || visibleTo === userId),
      ),
    fault: (method, fault) => void faults.push({ method, left: fault.times ?? 1, fault }),
    connectHttp(address) {
      transport = createHttpTransport(address, world.bot);
    },
    async connectSocket() {
      transport = socket;
      await socket.connected();
    },
    disconnectSocket: (reason) => socket.disconnect(reason),
    async waitFor(holds, timeoutMs = 15_000) {
      const started = performance.now();
      while (!holds()) {
        if (performance.now() - started > timeoutMs) throw new Error("what the test waits for did not come");
        await sleep(10);
      }
    },
    async settle(quietMs = 400) {
      lastCall = performance.now();
      while (performance.now() - lastCall < quietMs) await sleep(20);
    },
    async stop() {
      await socket.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** Forms carry blocks and metadata as JSON in a field. */
function parseBody(body: string, contentType: string): ApiArguments {
  if (body === "") return {};
  if (contentType.includes("application/json")) return JSON.parse(body) as ApiArguments;
  const fields = Object.fromEntries(new URLSearchParams(body));
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      name === "blocks" || name === "metadata" ? JSON.parse(value) : value,
    ]),
  );
}
