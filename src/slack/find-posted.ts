import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

interface PageOfMessages {
  readonly channel: string;
  readonly limit: number;
  readonly include_all_metadata: boolean;
  readonly cursor?: string;
}

export interface HistoryClient {
  readonly conversations: {
    replies(args: PageOfMessages & { ts: string }): Promise<unknown>;
    history(args: PageOfMessages): Promise<unknown>;
  };
}

export interface Destination {
  readonly channelId: string;
  /** Null: a message of its own. */
  readonly threadTs: string | null;
}

const LOOKS = 3;
const MOST_PAGES = 10;
const BETWEEN_LOOKS_MS = 500;

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

/** Looks for a message that may have been posted although its response was lost. `unknown`: Slack did not tell. */
export async function findPosted(
  client: HistoryClient,
  destination: Destination,
  answerId: string,
): Promise<{ readonly ts: string } | "absent" | "unknown"> {
  for (let look = 1; ; look += 1) {
    try {
      return await readPages(client, destination, answerId);
    } catch {
      if (look === LOOKS) return "unknown";
      await sleep(BETWEEN_LOOKS_MS * look);
    }
  }
}

async function readPages(client: HistoryClient, { channelId, threadTs }: Destination, answerId: string) {
  let cursor = "";
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const more = cursor === "" ? {} : { cursor };
    const options = { channel: channelId, limit: 200, include_all_metadata: true, ...more };
    const { messages, response_metadata: next } = Messages.parse(
      threadTs === null
        ? await client.conversations.history(options)
        : await client.conversations.replies({ ...options, ts: threadTs }),
    );
    const ours = messages.find(({ metadata }) => metadata?.event_payload.answer_id === answerId);
    if (ours !== undefined) return { ts: ours.ts };
    cursor = next?.next_cursor ?? "";
    // New messages of a channel come first, those of a thread last.
    if (cursor === "" || threadTs === null) return "absent";
  }
  return "unknown";
}
