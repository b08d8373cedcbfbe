import type { MessageContent } from "./read-message-text.ts";
import { readMessageText } from "./read-message-text.ts";

const OVER = "resolved|recovered|closed";
const OVER_FIRST = new RegExp(`^\\W*(?:(?:${OVER})\\b|\\[ok\\]|ok:)`, "iu");
const OVER_LAST = new RegExp(`[:\\u2013\\u2014-]\\s*(?:${OVER}|ok)\\W*$`, "iu");
const EMOJI = /:[a-z0-9_+-]+:/g;
const HEADLINES = 2;

/**
 * Does an app's post say that something is wrong, or that it is over? The headline decides; a post that reports both is
 * still firing. A resolved alert asks nothing.
 */
export function readAlertState(content: MessageContent): "firing" | "resolved" {
  const headlines = readMessageText(content)
    .text.split("\n")
    .map((line) => line.replace(EMOJI, "").trim())
    .filter((line) => line !== "")
    .slice(0, HEADLINES);
  if (headlines.some((line) => /\bfiring\b/iu.test(line))) return "firing";
  return headlines.some((line) => OVER_FIRST.test(line) || OVER_LAST.test(line)) ? "resolved" : "firing";
}
