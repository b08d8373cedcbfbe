import { z } from "zod";

import type { Logger } from "../logger.ts";
import type { BotState } from "../store/open-state.ts";
import { errorCode } from "./describe-error.ts";
import { isFromPerson, MessageEvent, type IncomingQuestion } from "./incoming-question.ts";
import { readMessageText } from "./read-message-text.ts";

export interface ThreadClient {
  readonly conversations: {
    replies(args: { channel: string; ts: string; latest: string; limit: number; cursor?: string }): Promise<unknown>;
  };
}

const TURNS = 3;
const PAGE = 999;
const MOST_PAGES = 3;
const Message = MessageEvent.omit({ channel: true });
type Message = z.infer<typeof Message>;
const Replies = z.looseObject({
  messages: z.array(z.unknown()),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/**
 * The turns of a thread that carry its subject, oldest first: the questions that were answered there for all, else the
 * message that began it and what people said last. The bot's own replies are no turns, nor are those of other apps. They
 * are text only: what may be searched is decided by who asks now. A thread that can't be read gives none.
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
  async function readMessages(channel: string, threadTs: string, latest: string): Promise<Message[]> {
    const messages: Message[] = [];
    let cursor = "";
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const more = cursor === "" ? {} : { cursor };
      const replies = Replies.parse(
        await client.conversations.replies({ channel, ts: threadTs, latest, limit: PAGE, ...more }),
      );
      for (const value of replies.messages) {
        const message = Message.safeParse(value);
        if (message.success) messages.push(message.data);
      }
      cursor = replies.response_metadata?.next_cursor ?? "";
      if (cursor === "") break;
    }
    return messages;
  }

  return async ({ channelId, threadTs, ts, isReply }) => {
    if (threadTs === null || ts === null || !isReply) return [];
    const known = state.conversations.turns({ channelId, threadTs });
    if (known.length > 0) return known;
    try {
      const earlier = (await readMessages(channelId, threadTs, ts)).filter(
        (message) => Number(message.ts) < Number(ts) && message.user !== botUserId,
      );
      const root = earlier.filter((message) => message.ts === threadTs);
      const said = earlier.filter(
        (message) => message.ts !== threadTs && isFromPerson({ ...message, edited: undefined }),
      );
      return [...root, ...said.slice(root.length - TURNS)]
        .map((message) => readMessageText(message).text)
        .filter(Boolean);
    } catch (error) {
      log.warn({ channelId, reason: errorCode(error) }, "thread_unreadable");
      return [];
    }
  };
}
