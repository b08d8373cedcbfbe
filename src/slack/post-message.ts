import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import type { Logger } from "../logger.ts";
import { errorCode, refusalOf, retryAfterOf } from "./describe-error.ts";
import { findPosted, type Destination, type HistoryClient } from "./find-posted.ts";
import type { SlackMessage } from "./fit-message.ts";
import { takeTurns } from "./take-turns.ts";

/** The Slack calls that post; a client without retries of its own, which would post twice when a response is lost. */
export interface PostingClient extends HistoryClient {
  readonly chat: {
    postMessage(args: Record<string, unknown> & { channel: string; text: string }): Promise<unknown>;
    postEphemeral(args: Record<string, unknown> & { channel: string; user: string; text: string }): Promise<unknown>;
  };
}

export interface PostOptions {
  /** Marks the message, so that it can be found when the response is lost. */
  readonly answerId: string;
  /** Runs right before each attempt, after all waiting; what it throws keeps the message from being posted. */
  readonly confirm: () => Promise<void>;
}

export interface Poster {
  /** Posts once, whatever gets lost on the way. Gives the message's `ts`. @throws what Slack answered last. */
  post(destination: Destination, message: SlackMessage, options: PostOptions): Promise<string>;
  postEphemeral(
    destination: Destination,
    userId: string,
    message: SlackMessage,
    confirm: () => Promise<void>,
  ): Promise<void>;
}

/** Nobody can tell whether the message was posted, so it may not be posted again. */
export class PostUncertain extends Error {
  override readonly name = "PostUncertain";
}

const ATTEMPTS = 4;
const LONGEST_WAIT_S = 120;
const NOT_RENDERED = new Set(["invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"]);
/** Slack's words for a failure of its own: the message may stand there all the same. */
const OUTCOME_OPEN = new Set(["internal_error", "fatal_error", "service_unavailable", "request_timeout"]);
const Posted = z.looseObject({ ts: z.string() });

export function createPoster(client: PostingClient, log: Logger): Poster {
  const inTurn = takeTurns();

  async function send(destination: Destination, message: SlackMessage, { answerId, confirm }: PostOptions) {
    const { channelId, threadTs } = destination;
    let content: SlackMessage | { text: string } = message;
    for (let tries = 1; ; tries += 1) {
      await confirm();
      try {
        const posted = await client.chat.postMessage({
          channel: channelId,
          ...(threadTs === null ? {} : { thread_ts: threadTs }),
          ...content,
          unfurl_links: false,
          unfurl_media: false,
          metadata: { event_type: "runbook_answer", event_payload: { answer_id: answerId } },
        });
        return Posted.parse(posted).ts;
      } catch (error) {
        log.warn({ channelId, answerId, tries, reason: errorCode(error) }, "post_failed");
        if (isNotRendered(error) && "blocks" in content) content = { text: message.text };
        else if (!isDecided(error)) {
          await sleep(500 * 2 ** (tries - 1));
          const found = await findPosted(client, destination, answerId);
          if (found === "unknown") throw new PostUncertain("the post's outcome is unknown", { cause: error });
          if (found !== "absent") return found.ts;
        } else if (!(await waitIfAsked(error))) throw error;
        if (tries === ATTEMPTS) throw error;
      }
    }
  }

  return {
    post: (destination, message, options) => inTurn(destination.channelId, () => send(destination, message, options)),
    async postEphemeral({ channelId, threadTs }, userId, message, confirm) {
      const thread = threadTs === null ? {} : { thread_ts: threadTs };
      let content: SlackMessage | { text: string } = message;
      for (let tries = 1; ; tries += 1) {
        await confirm();
        try {
          await client.chat.postEphemeral({ channel: channelId, user: userId, ...thread, ...content });
          return;
        } catch (error) {
          log.warn({ channelId, tries, reason: errorCode(error) }, "ephemeral_failed");
          if (tries === ATTEMPTS) throw error;
          if (isNotRendered(error) && "blocks" in content) content = { text: message.text };
          else if (!(await waitIfAsked(error))) throw error;
        }
      }
    },
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
