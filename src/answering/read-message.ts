import type { IncidentMessage } from "../domain.ts";
import { dropInvisible } from "../markdown/plain-text.ts";
import { redactMessage } from "./mask-secrets.ts";

/** More of a paste is never read: the search needs words, and 40,000 characters hold the same ones again. */
const LONGEST_MESSAGE = 4000;
const LONGEST_TURN = 600;
const TURNS_KEPT = 3;

export type ReadMessage = Required<IncidentMessage>;

/**
 * A message as the steps read it: chat notation decoded, control and invisible characters gone, secrets and personal
 * data masked, repeated log lines folded, long pastes cut in the middle.
 */
export async function readMessage({ text, thread, links = [] }: IncidentMessage): Promise<ReadMessage> {
  const read = async (part: string, limit: number) =>
    cutMiddle(foldRepeats(await redactMessage(decodeText(part))), limit);
  const turns = thread.slice(-TURNS_KEPT);
  return {
    text: await read(text, LONGEST_MESSAGE),
    thread: await Promise.all(turns.map((turn) => read(turn, LONGEST_TURN))),
    links: await withoutSecrets([...new Set([...links, ...findLinks(text)])]),
  };
}

/** Addresses in a text, in chat notation or plain. */
function findLinks(text: string): string[] {
  return [...text.matchAll(/https?:\/\/[^\s<>|"'`)\]]+/giu)].map(([address]) => address.replaceAll("&amp;", "&"));
}

async function withoutSecrets(links: readonly string[]): Promise<string[]> {
  const redacted = await Promise.all(links.map(redactMessage));
  return links.filter((link, place) => redacted[place] === link);
}

/** `<@U…>` and `<!here>` go, `<https://…|label>` becomes its label, entities become characters (`&amp;` last). */
function decodeText(text: string): string {
  const plain = text
    .toWellFormed()
    .replace(/<[@#!][^<>|\n]*(?:\|[^<>\n]*)?>/g, " ")
    .replace(
      /<(https?:\/\/[^<>|\s]+)(?:\|([^<>\n]*))?>/g,
      (_token, address: string, label?: string) => label ?? address,
    )
    .replace(/<mailto:[^<>|\s]+\|([^<>\n]*)>/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  return dropInvisible(plain)
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\uFFFD]/g, " ")
    .trim();
}

/** Of lines that differ in their numbers only, the first and the last stay. */
function foldRepeats(text: string): string {
  const lines = text.split("\n");
  const shape = (line: string) => line.replace(/\d+/g, "0").trim();
  const last = new Map(lines.map((line, index) => [shape(line), index]));
  const seen = new Set<string>();
  return lines
    .filter((line, index) => {
      const first = !seen.has(shape(line));
      seen.add(shape(line));
      return first || line.trim() === "" || last.get(shape(line)) === index;
    })
    .join("\n");
}

function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${text.slice(0, half)}\n${text.slice(-half)}`.toWellFormed().replaceAll("\u{FFFD}", "");
}
