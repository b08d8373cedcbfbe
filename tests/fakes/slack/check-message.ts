import { z } from "zod";

import { describeIssues, MessageBlock, View } from "./block-kit.ts";
import { findActionIds } from "./find-elements.ts";

export interface MessageContent {
  readonly text?: unknown;
  readonly blocks?: unknown;
  readonly attachments?: unknown;
}

/** Slack's error word, and what it says in `response_metadata.messages`. */
export interface MessageFault {
  readonly error: string;
  readonly messages: readonly string[];
}

export const LONGEST_TEXT = 40_000;
/** Not documented: posts fail from about here on, although each block fits (slackapi/bolt-js#2509, #2867). */
const LARGEST_PAYLOAD = 13_200;
const MOST_BLOCKS = 50;
const MOST_MARKDOWN = 12_000;

/** What Slack refuses about a message, or null. `response_url` has no limit on the whole payload (bolt-js#2867). */
export function checkMessage(
  { text, blocks, attachments }: MessageContent,
  { wholePayload = true }: { wholePayload?: boolean } = {},
): MessageFault | null {
  const words = typeof text === "string" ? text : "";
  // Slack documents that it cuts longer texts; failing is the stricter reading.
  if (words.length > LONGEST_TEXT) return { error: "msg_too_long", messages: [] };
  const empty = (value: unknown) => value === undefined || (Array.isArray(value) && value.length === 0);
  if (words === "" && empty(blocks) && empty(attachments)) return { error: "no_text", messages: [] };
  if (blocks !== undefined && !Array.isArray(blocks)) return { error: "invalid_blocks_format", messages: [] };
  if (attachments !== undefined && !Array.isArray(attachments)) return { error: "invalid_attachments", messages: [] };
  if ((attachments?.length ?? 0) > 100) return { error: "too_many_attachments", messages: [] };
  return blocks === undefined ? null : checkBlocks(blocks, wholePayload);
}

/** Slack's word for what is wrong with a message, or null. */
export function findMessageFault(message: MessageContent): string | null {
  return checkMessage(message)?.error ?? null;
}

/** What Slack refuses about a view, or null. */
export function checkView(view: unknown): MessageFault | null {
  const { success, error, data } = View.safeParse(view);
  if (!success) return invalid(describeIssues(error, "view"), "invalid_arguments");
  if (data.type === "modal" && data.title === undefined) {
    return invalid(["missing required field: title [json-pointer:/view]"], "invalid_arguments");
  }
  const twice = findRepeats(data.blocks);
  return twice.length > 0 ? invalid(twice, "invalid_arguments") : null;
}

function checkBlocks(blocks: unknown[], wholePayload: boolean): MessageFault | null {
  const { success, error, data } = z.array(MessageBlock).max(MOST_BLOCKS).safeParse(blocks);
  if (!success) return invalid(describeIssues(error, "blocks"));
  const twice = findRepeats(blocks);
  if (twice.length > 0) return invalid(twice);
  const markdown = data.map((block) => (block.type === "markdown" ? block.text.length : 0));
  const markdownLength = markdown.reduce((sum, length) => sum + length, 0);
  const tooLong = markdownLength > MOST_MARKDOWN || (wholePayload && JSON.stringify(blocks).length > LARGEST_PAYLOAD);
  return tooLong ? { error: "msg_blocks_too_long", messages: [] } : null;
}

function invalid(messages: readonly string[], error = "invalid_blocks"): MessageFault {
  return { error, messages: messages.map((message) => `[ERROR] ${message}`) };
}

/** A block_id may stand once in a message, an action_id once in a block. */
function findRepeats(blocks: readonly unknown[]): string[] {
  const ids = blocks.map((block) => (block as { block_id?: string }).block_id).filter((id) => id !== undefined);
  return [
    ...repeated(ids).map((id) => `\`block_id\` ${id} already exists`),
    ...blocks.flatMap((block) => repeated(findActionIds(block)).map((id) => `\`action_id\` ${id} already exists`)),
  ];
}

function repeated(values: readonly string[]): string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

export { findBrokenMarkup, findLiveTokens } from "./live-markup.ts";
