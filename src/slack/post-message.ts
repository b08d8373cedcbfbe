import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import type { Logger } from "../logger.ts";
import type { SlackMessage } from "./render-answer.ts";
import { errorCode } from "./who-is-who.ts";

/** The Slack calls that post; a client without retries of its own, which would post twice when a response is lost. */
export interface PostingClient {
  readonly chat: {
    postMessage(args: Record<string, unknown> & { channel: string; text: string }): Promise<unknown>;
    postEphemeral(args: Record<string, unknown> & { channel: string; user: string; text: string }): Promise<unknown>;
  };
  readonly conversations: {
    replies(args: PageOfMessages & { ts: string }): Promise<unknown>;
    history(args: PageOfMessages): Promise<unknown>;
  };
}

interface PageOfMessages {
  readonly channel: string;
  readonly limit: number;
  readonly include_all_metadata: boolean;
  readonly cursor?: string;
}

export interface Destination {
  readonly channelId: string;
  readonly threadTs: string | null;
}

export interface Poster {
  /** Posts once, whatever gets lost on the way. Gives the message's `ts`. @throws what Slack answered last. */
  post(destination: Destination, message: SlackMessage, answerId: string): Promise<string>;
  postEphemeral(destination: Destination, userId: string, message: SlackMessage): Promise<void>;
}

/** Slack takes about one message a second and channel. */
const BETWEEN_POSTS_MS = 1000;
const ATTEMPTS = 4;
const LONGEST_WAIT_S = 120;
const MOST_PAGES = 10;
const NOT_RENDERED = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"]);

const Posted = z.looseObject({ ts: z.string() });
const Messages = z.looseObject({
  messages: z.array(
    z.looseObject({
      ts: z.string(),
      metadata: z
        .looseObject({ event_payload: z.looseObject({ answer_id: z.string().optional() }) })
        .optional()
        .catch(undefined),
    }),
  ),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});
const RateLimited = z.looseObject({ code: z.literal("slack_webapi_rate_limited_error"), retryAfter: z.number() });
const SlackRefusal = z.looseObject({ data: z.looseObject({ ok: z.literal(false) }) });

/** Posts in order, channel by channel: a channel that must wait holds up no other. */
export function createPoster(client: PostingClient, log: Logger): Poster {
  const queues = new Map<string, Promise<unknown>>();

  function inTurn<T>(channelId: string, work: () => Promise<T>): Promise<T> {
    const before = queues.get(channelId) ?? Promise.resolve();
    const turn = before.then(work);
    const after = rest(turn).then(() => {
      if (queues.get(channelId) === after) queues.delete(channelId);
      return undefined;
    });
    queues.set(channelId, after);
    return turn;
  }

  async function send(destination: Destination, message: SlackMessage, answerId: string): Promise<string> {
    let attempt: SlackMessage | { text: string } = message;
    for (let tries = 1; ; tries += 1) {
      try {
        const posted = await client.chat.postMessage({
          channel: destination.channelId,
          ...(destination.threadTs === null ? {} : { thread_ts: destination.threadTs }),
          ...attempt,
          unfurl_links: false,
          unfurl_media: false,
          metadata: { event_type: "runbook_answer", event_payload: { answer_id: answerId } },
        });
        return Posted.parse(posted).ts;
      } catch (error) {
        log.warn({ channelId: destination.channelId, answerId, tries, reason: errorCode(error) }, "post_failed");
        if (tries === ATTEMPTS) throw error;
        if (NOT_RENDERED.has(errorCode(error)) && "blocks" in attempt) attempt = { text: message.text };
        else if (!(await waitIfAsked(error))) {
          if (SlackRefusal.safeParse(error).success) throw error;
          // The response was lost, not surely the post.
          const posted = await findPosted(client, destination, answerId);
          if (posted !== null) return posted;
          await sleep(500 * 2 ** (tries - 1));
        }
      }
    }
  }

  return {
    post: (destination, message, answerId) => inTurn(destination.channelId, () => send(destination, message, answerId)),
    async postEphemeral({ channelId, threadTs }, userId, message) {
      const thread = threadTs === null ? {} : { thread_ts: threadTs };
      for (let tries = 1; ; tries += 1) {
        try {
          await client.chat.postEphemeral({ channel: channelId, user: userId, ...thread, ...message });
          return;
        } catch (error) {
          log.warn({ channelId, tries, reason: errorCode(error) }, "ephemeral_failed");
          if (tries === ATTEMPTS || !(await waitIfAsked(error))) throw error;
        }
      }
    },
  };
}

/** Over when the post is, and the second after it. */
async function rest(turn: Promise<unknown>): Promise<void> {
  await turn.catch(() => undefined);
  await sleep(BETWEEN_POSTS_MS, undefined, { ref: false });
}

/** Waits as long as Slack asks for. False: it did not ask. */
async function waitIfAsked(error: unknown): Promise<boolean> {
  const limited = RateLimited.safeParse(error);
  if (!limited.success) return false;
  await sleep(Math.min(limited.data.retryAfter, LONGEST_WAIT_S) * 1000);
  return true;
}

/** Looks for the message that may have been posted although its response was lost. */
async function findPosted(
  client: PostingClient,
  { channelId, threadTs }: Destination,
  answerId: string,
): Promise<string | null> {
  try {
    let cursor = "";
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const options = {
        channel: channelId,
        limit: 200,
        include_all_metadata: true,
        ...(cursor === "" ? {} : { cursor }),
      };
      const found =
        threadTs === null
          ? await client.conversations.history(options)
          : await client.conversations.replies({ ...options, ts: threadTs });
      const { messages, response_metadata: more } = Messages.parse(found);
      const ours = messages.find(({ metadata }) => metadata?.event_payload.answer_id === answerId);
      if (ours !== undefined) return ours.ts;
      cursor = more?.next_cursor ?? "";
      // New messages of a channel come first, those of a thread last.
      if (cursor === "" || threadTs === null) return null;
    }
    return null;
  } catch {
    return null;
  }
}
