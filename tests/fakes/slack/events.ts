import { channelOf, type Board } from "./board.ts";
import type { Delivery, DeliveryOptions, EnvelopeType, Payload } from "./deliver.ts";
import type { SlackChannel } from "./slack-world.ts";

export type Deliver = (type: EnvelopeType, payload: Payload, options?: DeliveryOptions) => Promise<Delivery>;

export interface EventOptions extends DeliveryOptions {
  /** Instead of a new one: the same message under a known id. */
  readonly eventId?: string;
  /** As if it were for another workspace. */
  readonly teamId?: string;
}

export interface Events {
  /** Any event, as it stands, under an id of its own. */
  deliverEvent(event: Record<string, unknown>, options?: EventOptions): Promise<Delivery>;
  /** An event as the workspace causes it: only where the bot is, and what it subscribed to. */
  emit(event: Record<string, unknown>, options?: EventOptions): Promise<Delivery[]>;
}

const SUBSCRIPTIONS = {
  channel: "message.channels",
  group: "message.groups",
  im: "message.im",
  mpim: "message.mpim",
} as const;

export function createEvents(board: Board, deliver: Deliver): Events {
  const { world } = board;
  const { bot, teamId, enterpriseId } = world;

  function deliverEvent(
    event: Record<string, unknown>,
    { eventId, teamId: team = teamId, ...options }: EventOptions = {},
  ) {
    remember(event, board);
    const authorization = { team_id: teamId, user_id: bot.userId, is_bot: true, is_enterprise_install: false };
    const payload = {
      token: "unused",
      team_id: team,
      ...(enterpriseId === undefined ? {} : { enterprise_id: enterpriseId }),
      api_app_id: bot.appId,
      type: "event_callback",
      event_id: eventId ?? board.nextId("Ev"),
      event_time: Math.floor(board.now() / 1000),
      is_ext_shared_channel: world.channels.some(({ id, is_ext_shared }) => id === event["channel"] && is_ext_shared),
      event,
      authorizations: [{ enterprise_id: enterpriseId ?? null, ...authorization }],
    };
    return deliver("events_api", payload, options);
  }

  function isSubscribed(event: Record<string, unknown>, channel: SlackChannel | null): boolean {
    const name = event["type"] === "message" && channel !== null ? SUBSCRIPTIONS[channel.kind] : String(event["type"]);
    return bot.events?.includes(name) ?? true;
  }

  return {
    deliverEvent,
    async emit(event, options = {}) {
      const { channel: channelId, ts } = event;
      const channel = typeof channelId === "string" ? channelOf(world, channelId) : null;
      const inChannel =
        channel === null || channel.members.includes(bot.userId) || !IN_CHANNEL.has(String(event["type"]));
      if (!inChannel || !isSubscribed(event, channel)) return [];
      const kind = event["type"] === "message" && channel !== null ? { channel_type: channel.kind } : {};
      const full = { ...event, ...kind, event_ts: event["event_ts"] ?? ts ?? board.nextTs() };
      return [await deliverEvent(full, options)];
    },
  };
}

/** Events of what is said; the others come wherever the bot is. */
const IN_CHANNEL = new Set(["message", "app_mention"]);

/** What Slack delivers stands in its channel: a test that delivers a message by hand need not put it there. */
function remember(event: Record<string, unknown>, { messages, world }: Board): void {
  const { type, subtype, channel, ts, user, text, thread_ts: thread, edited } = event;
  if (!IN_CHANNEL.has(String(type)) || subtype !== undefined || edited !== undefined) return;
  if (typeof channel !== "string" || typeof ts !== "string" || typeof user !== "string") return;
  if (!world.channels.some(({ id }) => id === channel)) return;
  if (messages.some((message) => message.channel === channel && message.ts === ts)) return;
  const inThread = typeof thread === "string" ? { thread_ts: thread } : {};
  messages.push({ channel, ts, ...inThread, user, text: typeof text === "string" ? text : "" });
}
