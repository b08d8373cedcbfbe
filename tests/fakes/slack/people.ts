import type { Delivery, DeliveryOptions, EnvelopeType } from "./deliver.ts";
import type { SlackMessageRecord, SlackWorld } from "./slack-world.ts";

/** What people and apps do in the workspace, delivered to the bot as Slack would. */
export interface People {
  /** Types a slash command. */
  type(userId: string, channelId: string, text: string): Promise<Delivery>;
  /** Says something; a mention of the bot arrives twice where the bot is a member, as Slack does it. */
  say(userId: string, channelId: string, text: string, options?: SayOptions): Promise<Said>;
  /** An app posts an alert: no user, attachments or blocks. */
  postAsApp(channelId: string, message: Partial<SlackMessageRecord> & Record<string, unknown>): Promise<Said>;
  /** Presses a button, or what somebody made up to look like one. */
  press(payload: object, options?: DeliveryOptions): Promise<Delivery>;
  /** Any event, under an id of its own. */
  deliverEvent(
    event: Record<string, unknown>,
    options?: DeliveryOptions & { eventId?: string; teamId?: string },
  ): Promise<Delivery>;
}

export interface SayOptions extends DeliveryOptions {
  readonly threadTs?: string;
  readonly eventId?: string;
  readonly fields?: Record<string, unknown>;
}

export interface Said {
  readonly ts: string;
  readonly deliveries: readonly Delivery[];
}

export function createPeople({
  world,
  messages,
  nextTs,
  deliver,
  responseUrl,
}: {
  readonly world: SlackWorld;
  readonly messages: SlackMessageRecord[];
  readonly nextTs: () => string;
  readonly deliver: (type: EnvelopeType, payload: object, options?: DeliveryOptions) => Promise<Delivery>;
  readonly responseUrl: (channelId: string, userId: string) => string;
}): People {
  let events = 0;
  const { teamId, bot } = world;

  function deliverEvent(
    event: Record<string, unknown>,
    { eventId, teamId: team = teamId, ...options }: DeliveryOptions & { eventId?: string; teamId?: string } = {},
  ) {
    const payload = {
      token: "unused",
      team_id: team,
      api_app_id: bot.appId,
      type: "event_callback",
      event_id: eventId ?? `Ev${++events}`,
      event_time: Math.floor(Date.now() / 1000),
      event,
      authorizations: [{ team_id: teamId, user_id: bot.userId, is_bot: true }],
    };
    return deliver("events_api", payload, options);
  }

  function channelOf(channelId: string) {
    const channel = world.channels.find(({ id }) => id === channelId);
    if (channel === undefined) throw new Error(`the stand-in has no channel ${channelId}`);
    return channel;
  }

  async function emit(message: SlackMessageRecord & Record<string, unknown>, options: SayOptions): Promise<Said> {
    const channel = channelOf(message.channel);
    messages.push(message);
    if (!channel.members.includes(bot.userId)) return { ts: message.ts, deliveries: [] };
    const { eventId, ...delivery } = options;
    const channelType = channel.kind === "channel" ? "channel" : channel.kind;
    const base = { ...message, event_ts: message.ts, team: teamId };
    const twins: Record<string, unknown>[] = [{ ...base, type: "message", channel_type: channelType }];
    const mentions = message.text.includes(`<@${bot.userId}>`);
    if (mentions && channel.kind !== "im") twins.push({ ...base, type: "app_mention" });
    const deliveries = await Promise.all(
      twins.map((event, index) =>
        deliverEvent(event, { ...delivery, ...(eventId === undefined ? {} : { eventId: `${eventId}-${index}` }) }),
      ),
    );
    return { ts: message.ts, deliveries };
  }

  return {
    press: (payload, options) => deliver("interactive", payload, options),
    deliverEvent,
    type(userId, channelId, text) {
      const { name } = channelOf(channelId);
      const id = `${++events}`;
      return deliver("slash_commands", {
        token: "unused",
        team_id: teamId,
        team_domain: "acme",
        channel_id: channelId,
        channel_name: name,
        user_id: userId,
        user_name: world.users.find((user) => user.id === userId)?.name ?? "",
        command: "/runbook",
        text: encode(text),
        api_app_id: bot.appId,
        is_enterprise_install: "false",
        response_url: responseUrl(channelId, userId),
        trigger_id: `trigger.${id}`,
      });
    },
    say(userId, channelId, text, options = {}) {
      const thread = options.threadTs === undefined ? {} : { thread_ts: options.threadTs };
      const message = {
        channel: channelId,
        ts: nextTs(),
        ...thread,
        user: userId,
        text: encode(text),
        ...options.fields,
      };
      return emit(message, options);
    },
    postAsApp(channelId, message) {
      return emit({ channel: channelId, ts: nextTs(), user: "", text: "", ...message, ...withoutUser(message) }, {});
    },
  };
}

/** A webhook's post has no user at all. */
function withoutUser(message: Record<string, unknown>): Record<string, unknown> {
  return message["user"] === undefined ? { user: undefined } : {};
}

/** Text arrives entity-encoded; mentions and links stay tokens. */
function encode(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replace(/&lt;([@#!][^&\s]*|https?:[^\s]*?)&gt;/g, "<$1>");
}
