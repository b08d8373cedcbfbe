import { channelOf, type Board } from "./board.ts";
import type { Delivery, DeliveryOptions } from "./deliver.ts";
import { encodeCommand, encodeText } from "./encode-text.ts";
import type { Deliver, EventOptions, Events } from "./events.ts";
import { changed, deleted } from "./methods/chat-methods.ts";
import { Refusal } from "./methods/method.ts";
import type { ResponseUrls } from "./response-urls.ts";
import type { SlackMessageRecord } from "./slack-world.ts";

/** What people and apps say in the workspace, delivered to the bot as Slack would. */
export interface People {
  /** Types a slash command (`/runbook` when none is named). Not delivered again when it is not acknowledged. */
  type(userId: string, channelId: string, text: string): Promise<Delivery>;
  type(userId: string, channelId: string, command: string, text: string, options?: DeliveryOptions): Promise<Delivery>;
  /** Says something; a mention of the bot arrives twice where the bot is a member, as Slack does it. */
  say(userId: string, channelId: string, text: string, options?: SayOptions): Promise<Said>;
  /** An app posts: a webhook's message has no `user`, a modern app's has `user`, `bot_id` and `app_id`. */
  postAsApp(channelId: string, message: Partial<SlackMessageRecord> & Record<string, unknown>): Promise<Said>;
  /** Edits somebody's message: `message_changed`, and a mention comes again with `edited`. */
  edit(channelId: string, ts: string, text: string): Promise<Said>;
  /** Deletes a message. */
  remove(channelId: string, ts: string): Promise<Said>;
}

export interface SayOptions extends EventOptions {
  readonly threadTs?: string;
  readonly blocks?: unknown[];
  readonly files?: unknown[];
  readonly subtype?: string;
  /** Any other field of the message. */
  readonly fields?: Record<string, unknown>;
}

export interface Said {
  readonly ts: string;
  readonly deliveries: readonly Delivery[];
}

export interface PeopleParts {
  readonly board: Board;
  readonly events: Events;
  readonly deliver: Deliver;
  readonly responseUrls: ResponseUrls;
  readonly origin: string;
}

export function createPeople({ board, events, deliver, responseUrls, origin }: PeopleParts): People {
  const { world } = board;
  const { bot } = world;

  /** The same message as `message` and, when it mentions the bot, as `app_mention`, each under its own event id. */
  async function emitTwins(message: Record<string, unknown>, text: string, { eventId, ...options }: EventOptions) {
    const { kind } = channelOf(world, String(message["channel"]));
    const twins = ["message"];
    const mentions = new RegExp(`<@${bot.userId}(?:\\|[^<>]*)?>`).test(text);
    if (mentions && kind !== "im") twins.push("app_mention");
    const sent = await Promise.all(
      twins.map((type, index) => {
        const id = eventId === undefined ? {} : { eventId: `${eventId}-${index}` };
        return events.emit({ ...message, type, team: world.teamId }, { ...options, ...id });
      }),
    );
    return sent.flat();
  }

  function find(channelId: string, ts: string): SlackMessageRecord {
    const found = board.messages.find((message) => message.channel === channelId && message.ts === ts);
    if (found === undefined) throw new Error(`the stand-in has no message ${ts} in ${channelId}`);
    return found;
  }

  return {
    async type(
      userId: string,
      channelId: string,
      ...[first = "", second, options]: [string?, string?, DeliveryOptions?]
    ) {
      const [command, text] = second === undefined ? ["/runbook", first] : [first, second];
      const { name, kind } = channelOf(world, channelId);
      const from = { channel: channelId, user: userId };
      const delivery = await deliver(
        "slash_commands",
        {
          token: "unused",
          team_id: world.teamId,
          team_domain: world.domain ?? "acme",
          ...(world.enterpriseId === undefined ? {} : { enterprise_id: world.enterpriseId, enterprise_name: "Acme" }),
          channel_id: channelId,
          channel_name: kind === "im" ? "directmessage" : kind === "group" ? "privategroup" : name,
          user_id: userId,
          user_name: nameOf(userId),
          command,
          text: encodeCommand(text, nameOf),
          api_app_id: bot.appId,
          is_enterprise_install: "false",
          response_url: `${origin}/response/${responseUrls.create(from)}`,
          trigger_id: board.newTrigger(),
        },
        options,
      );
      respondWithAck(delivery.body, () =>
        responseUrls.respond(from, { response_type: "ephemeral", ...readAck(delivery.body) }),
      );
      return delivery;
    },
    async say(userId, channelId, text, { threadTs, blocks, files, subtype, fields, ...options } = {}) {
      if (!channelOf(world, channelId).members.includes(userId)) throw new Error(`${userId} is not in ${channelId}`);
      const message: SlackMessageRecord = {
        channel: channelId,
        ts: board.nextTs(),
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
        user: userId,
        text: encodeText(text),
        ...(blocks === undefined ? {} : { blocks }),
        ...(files === undefined ? {} : { files }),
        ...(subtype === undefined && files === undefined ? {} : { subtype: subtype ?? "file_share" }),
        ...fields,
      };
      board.messages.push(message);
      return { ts: message.ts, deliveries: await emitTwins({ ...message }, message.text, options) };
    },
    async postAsApp(channelId, message) {
      const record: SlackMessageRecord = { channel: channelId, ts: board.nextTs(), user: "", text: "", ...message };
      board.messages.push(record);
      const { user, ...webhook } = record;
      return { ts: record.ts, deliveries: await emitTwins(user === "" ? webhook : { ...record }, record.text, {}) };
    },
    async edit(channelId, ts, text) {
      const message = find(channelId, ts);
      const before = { ...message };
      const at = board.nextTs();
      Object.assign(message, { text: encodeText(text), edited: { user: message.user, ts: at } });
      const deliveries = await events.emit(changed(message, before, at));
      // Assumed: the mention comes again with `edited`, beside the `message_changed`.
      if (message.text.includes(`<@${bot.userId}`)) {
        const again = { ...message, type: "app_mention", event_ts: at, team: world.teamId };
        deliveries.push(...(await events.emit(again)));
      }
      return { ts, deliveries };
    },
    async remove(channelId, ts) {
      const message = find(channelId, ts);
      board.messages.splice(board.messages.indexOf(message), 1);
      return { ts, deliveries: await events.emit(deleted(message, board.nextTs())) };
    },
  };

  function nameOf(id: string): string {
    if (id === bot.userId) return bot.name ?? "runbook-bot";
    return [...world.users, ...world.channels].find((known) => known.id === id)?.name ?? "";
  }
}

/** The acknowledgement of a command may carry a message: as text, as JSON, or as the socket's payload. */
function readAck(body: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === "object" && parsed !== null ? (parsed as Record<string, unknown>) : { text: body };
  } catch {
    return { text: body };
  }
}

function respondWithAck(body: string, respond: () => void): void {
  const { text = "", blocks } = readAck(body);
  if (text === "" && blocks === undefined) return;
  try {
    respond();
  } catch (error) {
    // Slack drops what it can't show; the violation says so already.
    if (!(error instanceof Refusal)) throw error;
  }
}
