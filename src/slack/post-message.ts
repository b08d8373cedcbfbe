import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import type { Logger } from "../logger.ts";
import type { PostLedger } from "../store/outbox-table.ts";
import { errorCode, refusalOf, retryAfterOf } from "./describe-error.ts";
import { findPosted, type Destination, type HistoryClient } from "./find-posted.ts";
import type { SlackMessage } from "./fit-message.ts";
import { respondAlone } from "./respond-alone.ts";
import { takeTurns } from "./take-turns.ts";

/** The Slack calls that post; a client without retries of its own, which would post twice when a response is lost. */
export interface PostingClient extends HistoryClient {
  readonly chat: {
    postMessage(args: Record<string, unknown> & { channel: string; text: string }): Promise<unknown>;
    update(args: Record<string, unknown> & { channel: string; ts: string; text: string }): Promise<unknown>;
    postEphemeral(args: Record<string, unknown> & { channel: string; user: string; text: string }): Promise<unknown>;
  };
}

export interface PostOptions {
  /** Marks the message in Slack and in the ledger, so that none is sent twice. */
  readonly postId: string;
  /** Runs right before each attempt, after all waiting; what it throws keeps the message from being posted. */
  readonly confirm: () => Promise<void>;
}

/** Each method posts once, whatever gets lost on the way or is killed. @throws what Slack answered last. */
export interface Poster {
  /** Gives the message's `ts`. */
  post(destination: Destination, message: SlackMessage, options: PostOptions): Promise<string>;
  /** Changes a message of the bot's; doing it twice changes nothing. */
  update(destination: Destination, ts: string, message: SlackMessage, confirm: () => Promise<void>): Promise<void>;
  postEphemeral(destination: Destination, userId: string, message: SlackMessage, options: PostOptions): Promise<void>;
  /** Through a `response_url`: works where the bot is not in the channel. */
  respond(responseUrl: string, message: SlackMessage, options: PostOptions): Promise<void>;
}

/** Nobody can tell whether the message was posted, so it may not be posted again. */
export class PostUncertain extends Error {
  override readonly name = "PostUncertain";
}

const ATTEMPTS = 4;
/** A request that was on its way when the process was killed has arrived by then, or never will. */
const ARRIVES_WITHIN_MS = 3000;
/** In the ledger for a message whose `ts` Slack tells nobody. */
const SENT_ALONE = "alone";
const LONGEST_WAIT_S = 120;
const NOT_RENDERED = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"]);
/** Slack's words for a failure of its own: the message may stand there all the same. */
const OUTCOME_OPEN = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout"]);
const Posted = z.looseObject({ ts: z.string() });

export function createPoster(client: PostingClient, posts: PostLedger, log: Logger): Poster {
  const inTurn = takeTurns();

  async function send(destination: Destination, message: SlackMessage, { postId, confirm }: PostOptions) {
    const earlier = await findEarlier(destination, postId);
    if (earlier !== null) return earlier;
    const { channelId, threadTs } = destination;
    let content: SlackMessage | { text: string } = message;
    for (let tries = 1; ; tries += 1) {
      await confirm();
      posts.begin(postId);
      try {
        const posted = await client.chat.postMessage({
          channel: channelId,
          ...(threadTs === null ? {} : { thread_ts: threadTs }),
          ...content,
          unfurl_links: false,
          unfurl_media: false,
          metadata: { event_type: "runbook_answer", event_payload: { answer_id: postId } },
        });
        return noteSent(postId, Posted.parse(posted).ts);
      } catch (error) {
        log.warn({ channelId, postId, tries, reason: errorCode(error) }, "post_failed");
        if (isDecided(error)) posts.refused(postId);
        if (isNotRendered(error) && "blocks" in content) content = { text: message.text };
        else if (!isDecided(error)) {
          await sleep(500 * 2 ** (tries - 1));
          const found = await findPosted(client, destination, postId);
          if (found === "unknown") throw new PostUncertain("the post's outcome is unknown", { cause: error });
          if (found !== "absent") return noteSent(postId, found.ts);
        } else if (!(await waitIfAsked(error))) throw error;
        if (tries === ATTEMPTS) throw error;
      }
    }
  }

  /** A run that was killed noted the post, and perhaps not whether it arrived. */
  async function findEarlier(destination: Destination, postId: string): Promise<string | null> {
    const earlier = posts.find(postId);
    if (earlier === null || earlier.ts !== null) return earlier?.ts ?? null;
    await sleep(Math.max(0, earlier.begunAt + ARRIVES_WITHIN_MS - Date.now()));
    const found = await findPosted(client, destination, postId);
    if (found === "unknown") throw new PostUncertain("nobody can tell whether it was posted before the kill");
    return found === "absent" ? null : noteSent(postId, found.ts);
  }

  function noteSent(postId: string, ts: string): string {
    posts.sent(postId, ts);
    return ts;
  }

  /**
   * Nobody can look for a message that one person sees: one that a kill interrupted is sent again, since twice is better
   * than never.
   */
  async function sendAlone(postId: string, work: () => Promise<unknown>): Promise<void> {
    const earlier = posts.find(postId);
    if (earlier !== null && earlier.ts !== null) return;
    posts.begin(postId);
    await work();
    noteSent(postId, SENT_ALONE);
  }

  /** For calls whose repetition harms nobody. */
  async function trySeveral(
    message: SlackMessage,
    confirm: () => Promise<void>,
    channelId: string,
    call: (content: SlackMessage | { text: string }) => Promise<unknown>,
  ): Promise<void> {
    let content: SlackMessage | { text: string } = message;
    for (let tries = 1; ; tries += 1) {
      await confirm();
      try {
        await call(content);
        return;
      } catch (error) {
        log.warn({ channelId, tries, reason: errorCode(error) }, "post_failed");
        if (tries === ATTEMPTS) throw error;
        if (isNotRendered(error) && "blocks" in content) content = { text: message.text };
        else if (!(await waitIfAsked(error))) throw error;
      }
    }
  }

  return {
    post: (destination, message, options) => inTurn(destination.channelId, () => send(destination, message, options)),
    postEphemeral: ({ channelId, threadTs }, userId, message, { postId, confirm }) =>
      sendAlone(postId, async () => {
        const thread = threadTs === null ? {} : { thread_ts: threadTs };
        const place = { channel: channelId, user: userId, ...thread };
        await trySeveral(message, confirm, channelId, (content) => client.chat.postEphemeral({ ...place, ...content }));
      }),
    update: ({ channelId }, ts, message, confirm) =>
      inTurn(channelId, () =>
        trySeveral(message, confirm, channelId, (content) =>
          client.chat.update({ channel: channelId, ts, ...content }),
        ),
      ),
    respond: (responseUrl, message, { postId, confirm }) =>
      sendAlone(postId, async () => {
        await confirm();
        await respondAlone(responseUrl, message);
      }),
  };
}

function isNotRendered(error: unknown): boolean {
  return NOT_RENDERED.has(refusalOf(error) ?? "");
}

/** Did Slack say that it did not post? Otherwise the response was lost, not surely the post. */
function isDecided(error: unknown): boolean {
  const refusal = refusalOf(error);
  return (refusal !== null && !OUTCOME_OPEN.has(refusal)) || retryAfterOf(error) !== null;
}

/** Waits as long as Slack asks for. False: it did not ask, or asks for longer than a reply is worth. */
async function waitIfAsked(error: unknown): Promise<boolean> {
  const seconds = retryAfterOf(error);
  if (seconds === null || seconds > LONGEST_WAIT_S) return false;
  await sleep(seconds * 1000);
  return true;
}
