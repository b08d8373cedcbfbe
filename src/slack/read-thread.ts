import { z } from "zod";

import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import { MessageContent, readMessageText } from "./read-message-text.ts";
import { errorCode } from "./who-is-who.ts";

export interface ThreadClient {
  readonly conversations: { replies(args: { channel: string; ts: string; limit: number }): Promise<unknown> };
}

const TURNS = 3;
const Replies = z.looseObject({
  messages: z.array(
    MessageContent.extend({ ts: z.string(), bot_id: z.string().optional(), user: z.string().optional() }),
  ),
});

/**
 * The turns of a thread that carry its subject, oldest first: the questions that were answered there, else the message
 * that began it and what people said since. The bot's own replies are no turns. A thread that can't be read gives none.
 */
export function createThreadReader({
  client,
  state,
  botUserId,
  log,
}: {
  readonly client: ThreadClient;
  readonly state: BotState;
  readonly botUserId: string;
  readonly log: Logger;
}): (question: IncomingQuestion) => Promise<string[]> {
  return async ({ channelId, threadTs, isReply, text }) => {
    if (threadTs === null || !isReply) return [];
    const known = state.turns({ channelId, threadTs });
    if (known.length > 0) return known;
    try {
      const { messages } = Replies.parse(
        await client.conversations.replies({ channel: channelId, ts: threadTs, limit: 100 }),
      );
      const [root, ...rest] = messages;
      const others = rest.filter((message) => message.bot_id === undefined && message.user !== botUserId);
      const turns = [...(root === undefined || root.user === botUserId ? [] : [root]), ...others.slice(-TURNS)]
        .map((message) => readMessageText(message).text)
        .filter((turn) => turn !== "" && !turn.includes(text));
      return turns.slice(-TURNS);
    } catch (error) {
      log.warn({ channelId, reason: errorCode(error) }, "thread_unreadable");
      return [];
    }
  };
}
