import { standingIn } from "../board.ts";
import { checkView } from "../check-message.ts";
import { withBlockIds } from "../find-elements.ts";
import { findConversation, findPostable } from "./find-conversation.ts";
import { field, refuse, type Methods } from "./method.ts";

/** What is shown besides messages, and the socket. */
export const surfaceMethods: Methods = {
  "apps.connections.open": { token: "app", run: (_args, board) => ({ url: board.socketUrl() }) },
  "assistant.threads.setStatus": {
    scopes: ["chat:write", "assistant:write"],
    required: ["channel_id", "thread_ts"],
    optional: ["status", "loading_messages", "icon_emoji", "icon_url", "username"],
    run(args, board) {
      const { id } = findPostable(board, field(args, "channel_id"));
      const threadTs = field(args, "thread_ts");
      const earlier = board.statuses.findIndex((status) => status.channel === id && status.threadTs === threadTs);
      if (earlier >= 0) board.statuses.splice(earlier, 1);
      const status = field(args, "status");
      if (status !== "") board.statuses.push({ channel: id, threadTs, status });
      return {};
    },
  },
  "views.publish": {
    required: ["user_id", "view"],
    optional: ["hash"],
    run(args, board) {
      const userId = field(args, "user_id");
      if (!board.world.users.some(({ id }) => id === userId)) refuse("invalid_arguments", ["[ERROR] invalid user_id"]);
      const view = openView(args["view"], board.nextId("V"));
      if (view["type"] !== "home") refuse("invalid_arguments", ["[ERROR] view must be of type home"]);
      board.views.push({ userId, view });
      return { view };
    },
  },
  "views.open": {
    required: ["view"],
    optional: ["trigger_id", "interactivity_pointer"],
    run(args, board) {
      const trigger = board.useTrigger(field(args, "trigger_id"));
      if (trigger !== "ok") refuse(trigger);
      const view = openView(args["view"], board.nextId("V"));
      board.views.push({ userId: null, view });
      return { view };
    },
  },
  "reactions.add": {
    scopes: ["reactions:write"],
    required: ["channel", "name", "timestamp"],
    run(args, board) {
      const { id } = findConversation(board, field(args, "channel"), { right: "read", member: true });
      const message = standingIn(board, id).find(({ ts }) => ts === field(args, "timestamp"));
      if (message === undefined) refuse("message_not_found");
      const name = field(args, "name");
      if (!/^[a-z0-9_+\-']+(?:::skin-tone-[2-6])?$/.test(name)) refuse("invalid_name");
      const { userId } = board.world.bot;
      message.reactions ??= [];
      const reaction = message.reactions.find((known) => known.name === name);
      if (reaction?.users.includes(userId)) refuse("already_reacted");
      if (reaction === undefined) message.reactions.push({ name, users: [userId], count: 1 });
      else Object.assign(reaction, { users: [...reaction.users, userId], count: reaction.count + 1 });
      return {};
    },
  },
};

function openView(view: unknown, id: string): Record<string, unknown> {
  const fault = checkView(view);
  if (fault !== null) refuse(fault.error, fault.messages);
  const known = view as { blocks: unknown[] };
  return { ...known, id, blocks: withBlockIds(known.blocks), state: { values: {} } };
}
