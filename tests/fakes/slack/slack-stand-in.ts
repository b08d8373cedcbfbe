import { setTimeout as sleep } from "node:timers/promises";

import { createBoard, type ApiCall, type SlackView, type ThreadStatus, type Violation } from "./board.ts";
import {
  deliverWithRetries,
  type Delivery,
  type DeliveryOptions,
  type EnvelopeType,
  type Payload,
  type SendOnce,
  type Timing,
} from "./deliver.ts";
import { createEvents, type Deliver, type EventOptions } from "./events.ts";
import { createFaults, type Fault } from "./faults.ts";
import { createHttpDelivery } from "./http-delivery.ts";
import { createInteractions, type Interactions } from "./interactions.ts";
import { findBrokenMarkup, findLiveTokens } from "./live-markup.ts";
import { createPeople, type People } from "./people.ts";
import { readAsPerson } from "./plain-text.ts";
import { ephemeralsOf, notifiedBy, threadOf, visibleTo, type Notification } from "./reading.ts";
import { createResponseUrls } from "./response-urls.ts";
import { serveApi } from "./serve-api.ts";
import type { SlackMessageRecord, SlackWorld } from "./slack-world.ts";
import { createSocketDelivery } from "./socket-delivery.ts";
import { createWorldChanges, type WorldChanges } from "./world-changes.ts";

export interface StandInOptions extends Partial<Timing> {
  /** Messages are stamped one second apart from here on (Unix seconds). */
  readonly firstTs?: number;
  /** Slack sends a bot its own messages too; off for tests that count deliveries. */
  readonly echoOwnPosts?: boolean;
}

/**
 * Slack's part in demo and tests, on loopback: Web API, response_url, signed HTTP delivery and Socket Mode. It is as
 * strict as Slack's documentation says about tokens, scopes, membership and Block Kit. Where that is silent, the code says
 * what it assumes.
 */
export interface SlackStandIn extends People, Interactions, WorldChanges {
  /** May be changed at any time; methods look at it anew. */
  readonly world: SlackWorld;
  /** For `clientOptions.slackApiUrl`, with the trailing slash. */
  readonly apiUrl: string;
  /** Everything that stands in the workspace. Mutable: a test may write history into it. */
  readonly messages: readonly SlackMessageRecord[];
  /** Everything of it that the bot posted, ephemeral messages too. */
  readonly posted: readonly SlackMessageRecord[];
  readonly calls: readonly ApiCall[];
  callsOf(method: string): ApiCall[];
  /** Breaks of Slack's contract: refused or badly shown messages, unknown arguments. A strict test wants none. */
  readonly violations: readonly Violation[];
  /** Whom the bot's posts notified. */
  readonly notified: readonly Notification[];
  /** Threads that show "is searching …" now. */
  readonly statuses: readonly ThreadStatus[];
  readonly views: readonly SlackView[];
  /** Whom the bot's posts notified or linked to, and markup that would show broken. */
  liveTokens(): { notified: string[]; links: string[]; broken: string[] };
  /** What one person sees in a channel: the messages of all, and the ephemeral ones that are theirs. */
  visibleTo(userId: string, channelId: string, options?: { threadTs?: string }): SlackMessageRecord[];
  ephemeralsOf(userId: string): SlackMessageRecord[];
  thread(channelId: string, ts: string): SlackMessageRecord[];
  /** A message as a person reads it, with names. */
  plainText(message: SlackMessageRecord): string;
  fault(method: string, fault: Fault): void;
  connectHttp(address: string): void;
  /** Delivers over Socket Mode from now on; waits until the bot is connected. */
  connectSocket(): Promise<void>;
  readonly sockets: { count(): number; refuseNext(times: number): void; drop(): void };
  /** Sends `disconnect` (`warning`, `refresh_requested`, `too_many_websockets`). */
  disconnectSocket(reason: string): void;
  /** Any event, as it stands. */
  deliverEvent(event: Record<string, unknown>, options?: EventOptions): Promise<Delivery>;
  /** Any payload, as it stands: an event's envelope, a command or an interaction. */
  deliver(payload: Payload, options?: DeliveryOptions & { eventId?: string }): Promise<Delivery>;
  /** The same again, under its own ids or another event id. */
  redeliver(delivery: Delivery, options?: DeliveryOptions & { eventId?: string }): Promise<Delivery>;
  /** Keeps deliveries back; `release` sends them one after the other. */
  holdDeliveries(): { release(order?: "in_order" | "reversed"): Promise<void> };
  /** Puts the stand-in's clock forward, for response_url and trigger ids. */
  advance(ms: number): void;
  /** Waits until `look` gives something, and gives it. @throws after `timeoutMs` (15 s). */
  waitFor<T>(look: () => T, timeout?: number | { timeoutMs?: number }): Promise<NonNullable<T>>;
  /** Waits until the bot has asked nothing for a while. */
  settle(quietMs?: number): Promise<void>;
  stop(): Promise<void>;
}

export async function createSlackStandIn(world: SlackWorld, options: StandInOptions = {}): Promise<SlackStandIn> {
  const { firstTs = 1_796_000_000, echoOwnPosts = true, ackTimeoutMs = 3000, retryDelaysMs = [0, 200, 400] } = options;
  const timing = { ackTimeoutMs, retryDelaysMs };
  const stopping = new AbortController();
  const board = createBoard(world, firstTs);
  const faults = createFaults();
  const responseUrls = createResponseUrls(board);
  const { server, origin } = await serveApi(board, faults, responseUrls);
  const socket = createSocketDelivery(server, world.bot.appId, timing);
  let http: SendOnce | null = null;
  let held: (() => Promise<unknown>)[] | null = null;

  const deliver: Deliver = (type, payload, deliveryOptions = {}) => {
    // A workspace in which no bot was ever connected has nobody to try again for.
    const noRetries = deliveryOptions.noRetries ?? (http === null && !socket.wasConnected());
    const what = { type, payload };
    const send = () =>
      deliverWithRetries(http ?? socket.send, what, { ...deliveryOptions, noRetries }, timing, stopping.signal);
    const queue = held;
    if (queue === null) return send();
    return new Promise((resolve, reject) => void queue.push(() => send().then(resolve, reject)));
  };
  const events = createEvents(board, deliver);
  board.socketUrl = () => socket.createUrl(origin);
  board.notify = (event) => {
    if (echoOwnPosts && (http !== null || socket.count() > 0)) void events.emit(event, { noRetries: true });
  };
  const parts = { board, events, deliver, responseUrls, origin };
  const botPosts = () => board.messages.filter((message) => message.bot_id === world.bot.botId);
  const nameOf = (id: string) =>
    id === world.bot.userId
      ? (world.bot.name ?? "runbook-bot")
      : (world.users.find((user) => user.id === id)?.name ??
        world.usergroups.find((group) => group.id === id)?.handle ??
        world.channels.find((channel) => channel.id === id)?.name ??
        id);

  return {
    ...createPeople(parts),
    ...createInteractions(parts),
    ...createWorldChanges(board, events),
    world,
    apiUrl: `${origin}/api/`,
    messages: board.messages,
    get posted() {
      return botPosts();
    },
    calls: board.calls,
    callsOf: (method) => board.calls.filter((call) => call.method === method),
    violations: board.violations,
    get notified() {
      return notifiedBy(board);
    },
    statuses: board.statuses,
    views: board.views,
    liveTokens() {
      const found = botPosts().map(findLiveTokens);
      return {
        notified: found.flatMap(({ notified }) => notified),
        links: found.flatMap(({ links }) => links),
        broken: botPosts().flatMap(findBrokenMarkup),
      };
    },
    visibleTo: (userId, channelId, place) => visibleTo(board, userId, channelId, place),
    ephemeralsOf: (userId) => ephemeralsOf(board, userId),
    thread: (channelId, ts) => threadOf(board, channelId, ts),
    plainText: (message) => readAsPerson(message, nameOf),
    fault: (method, fault) => faults.add(method, fault),
    connectHttp(address) {
      http = createHttpDelivery(address, world.bot, timing, stopping.signal);
    },
    async connectSocket() {
      http = null;
      await socket.connected();
    },
    sockets: socket,
    disconnectSocket: (reason) => socket.disconnect(reason),
    deliverEvent: (event, eventOptions) => events.deliverEvent(event, eventOptions),
    deliver: (payload, { eventId, ...deliveryOptions } = {}) =>
      deliver(envelopeOf(payload), withEventId(payload, eventId), deliveryOptions),
    redeliver: ({ type, payload }, { eventId, ...deliveryOptions } = {}) =>
      deliver(type, withEventId(payload, eventId), deliveryOptions),
    holdDeliveries() {
      const queue: (() => Promise<unknown>)[] = [];
      held = queue;
      return {
        async release(order = "in_order") {
          held = null;
          for (const send of order === "reversed" ? queue.toReversed() : queue) await send();
        },
      };
    },
    advance: (ms) => board.advance(ms),
    async waitFor(look, timeout = {}) {
      const timeoutMs = typeof timeout === "number" ? timeout : (timeout.timeoutMs ?? 15_000);
      const started = performance.now();
      for (;;) {
        const seen = look();
        if (seen) return seen;
        if (performance.now() - started > timeoutMs) throw new Error(describeWait(timeoutMs, board.calls));
        await sleep(10);
      }
    },
    async settle(quietMs = 400) {
      let calls = board.calls.length;
      for (let since = performance.now(); performance.now() - since < quietMs; await sleep(20)) {
        if (board.calls.length !== calls) since = performance.now();
        calls = board.calls.length;
      }
    },
    async stop() {
      stopping.abort();
      await socket.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function withEventId(payload: Payload, eventId: string | undefined): Payload {
  return eventId === undefined ? payload : { ...payload, event_id: eventId };
}

function envelopeOf(payload: Payload): EnvelopeType {
  if (payload["command"] !== undefined) return "slash_commands";
  const isInteraction = ["actions", "callback_id", "view"].some((name) => payload[name] !== undefined);
  return isInteraction ? "interactive" : "events_api";
}

function describeWait(timeoutMs: number, calls: readonly ApiCall[]): string {
  const last = calls.slice(-5).map(({ method, result }) => `${method} ${result}`);
  return `what the test waits for did not come in ${timeoutMs} ms; the bot's last calls: ${last.join(", ") || "none"}`;
}
