import { dropInvisible } from "../markdown/plain-text.ts";

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const LONGEST_LABEL = 150;
const LONGEST_ADDRESS = 1000;

/** Slack reads only these three as markup; escaped once, here, whatever the text's origin. */
export function escapeText(text: string): string {
  return text.toWellFormed().replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);
}

/** As `escapeText`, at most `limit` characters after escaping. Cut before it is escaped, so nothing is cut in two. */
export function escapeUpTo(text: string, limit: number): string {
  const whole = escapeText(text);
  return whole.length <= limit ? whole : `${escapeText(cutUnescaped(text, limit - 1))}…`;
}

/** The longest beginning of a text that is at most `limit` characters when it is escaped. */
export function cutUnescaped(text: string, limit: number): string {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += (ENTITIES[character] ?? character).length;
    if (length > limit) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/** A title or a name as one line, without characters that nobody sees. */
export function plainLabel(text: string, longest = LONGEST_LABEL): string {
  const line = dropInvisible(text.toWellFormed()).replace(/\s+/g, " ").trim();
  const cut = Array.from(line).slice(0, longest).join("");
  return cut === line ? line : `${cut}…`;
}

export function escapeLabel(text: string): string {
  return escapeText(plainLabel(text));
}

/** The only maker of links: an address from the link template, a label that can't end it. */
export function linkText(url: string | null, label: string): string {
  const address = safeAddress(url);
  const safeLabel = escapeLabel(label).replaceAll("|", "¦");
  return address === null ? safeLabel : `<${address.replaceAll("&", "&amp;")}|${safeLabel}>`;
}

/** An http(s) address that ends no link early; null where there is none that Slack would take. */
export function safeAddress(url: string | null): string | null {
  if (url === null || !/^https?:\/\//.test(url)) return null;
  const address = url.replace(/[|<>\s]/g, (character) => encodeURIComponent(character));
  return escapeText(address).length > LONGEST_ADDRESS ? null : address;
}
