import type { SlackChannel, SlackMessageRecord, SlackWorld } from "./slack-world.ts";

export type ApiArguments = Record<string, unknown>;

export interface ApiCall {
  /** The method; `response_url` for a use of one. */
  readonly method: string;
  readonly args: ApiArguments;
  /** What Slack answered: `ok`, its error word, or the fault that a test ordered. */
  result: string;
}

/** A break of Slack's contract that Slack itself would let pass, or answer with an error that the bot may hide. */
export interface Violation {
  readonly method: string;
  readonly what: string;
}

export interface ThreadStatus {
  readonly channel: string;
  readonly threadTs: string;
  readonly status: string;
}

export interface SlackView {
  readonly userId: string | null;
  readonly view: Record<string, unknown>;
}

/** All that changes while the stand-in runs, besides the world itself. */
export interface Board {
  readonly world: SlackWorld;
  readonly messages: SlackMessageRecord[];
  readonly calls: ApiCall[];
  readonly violations: Violation[];
  readonly statuses: ThreadStatus[];
  readonly views: SlackView[];
  nextTs(): string;
  /** Counts from 1, for ids. */
  nextId(prefix: string): string;
  /** The stand-in's clock, which a test can put forward. */
  now(): number;
  advance(ms: number): void;
  /** A trigger id opens one view within three seconds. */
  newTrigger(): string;
  useTrigger(id: string): "ok" | "expired_trigger_id" | "exchanged_trigger_id" | "invalid_trigger_id";
  /** Set by the stand-in: hands an event to the bot without waiting. */
  notify: (event: Record<string, unknown>) => void;
  /** Set by the stand-in: gives a one-time socket address. */
  socketUrl: () => string;
}

const TRIGGER_MS = 3000;

export function createBoard(world: SlackWorld, firstTs: number): Board {
  let messages = 0;
  let ids = 0;
  let forward = 0;
  const triggers = new Map<string, { at: number; used: boolean }>();
  const now = () => Date.now() + forward;
  const nextId = (prefix: string) => `${prefix}${String(++ids).padStart(4, "0")}`;
  return {
    world,
    messages: [],
    calls: [],
    violations: [],
    statuses: [],
    views: [],
    nextTs() {
      messages += 1;
      return `${firstTs + messages}.${String((messages * 100) % 1_000_000).padStart(6, "0")}`;
    },
    nextId,
    now,
    advance: (ms) => void (forward += ms),
    newTrigger() {
      const id = nextId("trigger.");
      triggers.set(id, { at: now(), used: false });
      return id;
    },
    useTrigger(id) {
      const trigger = triggers.get(id);
      if (trigger === undefined) return "invalid_trigger_id";
      if (trigger.used) return "exchanged_trigger_id";
      if (now() - trigger.at > TRIGGER_MS) return "expired_trigger_id";
      trigger.used = true;
      return "ok";
    },
    notify: () => undefined,
    socketUrl: () => "",
  };
}

/** @throws when a test names a channel that the world lacks. */
export function channelOf(world: SlackWorld, channelId: string): SlackChannel {
  const channel = world.channels.find(({ id }) => id === channelId);
  if (channel === undefined) throw new Error(`the stand-in has no channel ${channelId}`);
  return channel;
}

/** Messages that everyone in the channel sees, in the order of their time. */
export function standingIn(board: Board, channelId: string): SlackMessageRecord[] {
  return board.messages
    .filter(({ channel, visibleTo }) => channel === channelId && visibleTo === undefined)
    .toSorted((one, other) => Number(one.ts) - Number(other.ts));
}

export function isReply({ ts, thread_ts: thread }: SlackMessageRecord): boolean {
  return thread !== undefined && thread !== ts;
}

/** A thread is there when its first message is, or somebody has said something in it. */
export function threadExists(board: Board, channelId: string, threadTs: string): boolean {
  return standingIn(board, channelId).some(({ ts, thread_ts: thread }) => ts === threadTs || thread === threadTs);
}
