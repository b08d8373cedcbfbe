import type { SlackMessage } from "./fit-message.ts";

const TIMEOUT_MS = 10_000;

class ResponseUrlRefused extends Error {
  override readonly name = "ResponseUrlRefused";
}

/** Tells the person who typed a command or pressed a button, whether or not the bot is in the channel. */
export async function respondAlone(responseUrl: string, { text, blocks }: SlackMessage): Promise<void> {
  const alone = { response_type: "ephemeral", replace_original: false, unfurl_links: false, unfurl_media: false };
  const response = await fetch(responseUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...alone, text, ...(blocks.length > 0 && { blocks }) }),
    // Another address would be one that nobody checked.
    redirect: "error",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  if (!response.ok) throw new ResponseUrlRefused(`status ${response.status}`);
}
