import { channelOf, type Board } from "./board.ts";
import type { Delivery, DeliveryOptions } from "./deliver.ts";
import type { Deliver, Events } from "./events.ts";
import { findElements, type BlockElement } from "./find-elements.ts";
import { findSeen } from "./reading.ts";
import type { ResponseUrls } from "./response-urls.ts";
import type { SlackMessageRecord } from "./slack-world.ts";

/** What people do with messages and the app's home. None of it is delivered again when it is not acknowledged. */
export interface Interactions {
  /**
   * Uses a button (or another element) of a message that the person sees. A value that the message does not offer is
   * delivered all the same: a forged click.
   */
  click(
    userId: string,
    channelId: string,
    messageTs: string,
    actionId: string,
    value?: string,
    options?: DeliveryOptions,
  ): Promise<Delivery>;
  /** Uses a message shortcut. */
  shortcut(userId: string, channelId: string, messageTs: string, callbackId: string): Promise<Delivery>;
  /** Opens the app's home: `app_home_opened`. */
  openHome(userId: string): Promise<Delivery[]>;
}

export interface InteractionParts {
  readonly board: Board;
  readonly events: Events;
  readonly deliver: Deliver;
  readonly responseUrls: ResponseUrls;
  readonly origin: string;
}

export function createInteractions({ board, events, deliver, responseUrls, origin }: InteractionParts): Interactions {
  const { world } = board;

  function about(userId: string, message: SlackMessageRecord) {
    const { id, name } = channelOf(world, message.channel);
    const user = world.users.find((known) => known.id === userId);
    const responseUrl = responseUrls.create({ channel: id, user: userId, message });
    return {
      token: "unused",
      api_app_id: world.bot.appId,
      team: { id: world.teamId, domain: world.domain ?? "acme" },
      enterprise: world.enterpriseId === undefined ? null : { id: world.enterpriseId, name: "Acme" },
      is_enterprise_install: false,
      user: { id: userId, name: user?.name ?? "", username: user?.name ?? "", team_id: user?.team_id ?? world.teamId },
      channel: { id, name: name === "" ? "directmessage" : name },
      trigger_id: board.newTrigger(),
      response_url: `${origin}/response/${responseUrl}`,
    };
  }

  return {
    click(userId, channelId, messageTs, actionId, value, options) {
      const message = findSeen(board, userId, channelId, messageTs);
      const found = findElements(message.blocks ?? []).find(({ element }) => element.action_id === actionId);
      if (found === undefined) throw new Error(`message ${messageTs} has no element with the action_id ${actionId}`);
      const { visibleTo, channel: _channel, ...content } = message;
      const thread = message.thread_ts === undefined ? {} : { thread_ts: message.thread_ts };
      const place = { message_ts: messageTs, channel_id: channelId, is_ephemeral: visibleTo !== undefined, ...thread };
      return deliver(
        "interactive",
        {
          type: "block_actions",
          ...about(userId, message),
          container: { type: "message", ...place },
          // An ephemeral message does not come along.
          ...(visibleTo === undefined ? { message: { type: "message", ...content } } : {}),
          state: { values: {} },
          actions: [{ ...describeAction(found.element, value), block_id: found.blockId, action_ts: board.nextTs() }],
        },
        options,
      );
    },
    shortcut(userId, channelId, messageTs, callbackId) {
      const message = findSeen(board, userId, channelId, messageTs);
      const { visibleTo: _reader, channel: _channel, ...content } = message;
      return deliver("interactive", {
        type: "message_action",
        ...about(userId, message),
        callback_id: callbackId,
        action_ts: board.nextTs(),
        message_ts: messageTs,
        message: { type: "message", ...content },
      });
    },
    openHome(userId) {
      const { bot } = world;
      const direct = world.channels.find(
        ({ kind, members }) => kind === "im" && members.includes(userId) && members.includes(bot.userId),
      );
      const channel = direct ?? { id: board.nextId("D"), name: "", kind: "im", members: [userId, bot.userId] };
      if (direct === undefined) world.channels.push(channel);
      return events.emit({ type: "app_home_opened", user: userId, channel: channel.id, tab: "home" });
    },
  };
}

/** An element as it comes in `actions`, with what was chosen. */
function describeAction(element: BlockElement, value: string | undefined): Record<string, unknown> {
  const { type, action_id: actionId } = element;
  switch (type) {
    case "feedback_buttons": {
      const thumbs = [element["positive_button"], element["negative_button"]] as { text: unknown; value: string }[];
      const thumb = thumbs.find((candidate) => candidate.value === value) ?? thumbs[0];
      return { type, action_id: actionId, text: thumb?.text, value: value ?? thumb?.value };
    }
    case "static_select":
    case "overflow":
    case "radio_buttons": {
      const options = (element["options"] ?? []) as { value: string }[];
      const selected = options.find((option) => option.value === value) ?? { ...options[0], ...(value && { value }) };
      return { type, action_id: actionId, selected_option: selected };
    }
    default: {
      const chosen = value ?? element["value"];
      const { text, style } = element;
      return { type, action_id: actionId, text, style, ...(chosen === undefined ? {} : { value: chosen }) };
    }
  }
}
