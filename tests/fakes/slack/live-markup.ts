import type { MessageContent } from "./check-message.ts";

const TOKEN = /<([^<>]*)>/g;
/** What Slack reads in angle brackets: people, channels, groups, dates and addresses. */
const MEANINGFUL =
  /<(?:[@#][A-Z0-9]+(?:\|[^<>]*)?|!(?:here|channel|everyone)(?:\|[^<>]*)?|!(?:subteam|date)\^[^<>]+|(?:https?:\/\/|mailto:|tel:|slack:)[^<>|\s]+(?:\|[^<>]*)?)>/g;
const HARMLESS = /<(?:@[A-Z0-9]+|https?:\/\/[^<>|\s]+(?:\|[^<>]*)?)>/g;
const MENTION = /^(?:@[UW][A-Z0-9]*|!(?:here|channel|everyone|subteam\^[A-Z0-9]+))/;

/** Whom a message would notify, and where its live links lead: what stands in `<…>` in its texts. */
export function findLiveTokens(message: MessageContent): { notified: string[]; links: string[] } {
  const inside = [...JSON.stringify([message.text, message.blocks]).matchAll(TOKEN)].map((match) => match[1] ?? "");
  return {
    notified: inside.filter((token) => /^(?:@|!|#)/.test(token)),
    links: inside.filter((token) => /^[a-z]+:/i.test(token)).map((token) => token.split("|")[0] ?? ""),
  };
}

/** Markup that a bot of ours never writes: a `<` or `>` that belongs to no person and no link, an `&` that is no entity. */
export function findBrokenMarkup(message: MessageContent): string[] {
  return collectTexts([message.text, message.blocks]).filter((text) => isBroken(text.replace(HARMLESS, "")));
}

/** Markup that Slack would show broken. A `>` that begins a line is a quotation. */
export function findMalformedMarkup(message: MessageContent): string[] {
  const texts = [message.text, message.blocks, message.attachments].flatMap(collectMrkdwn);
  return texts.filter((text) => isBroken(text.replace(MEANINGFUL, "").replace(/^>+/gm, "")));
}

/** Whom a message notifies when it is posted: `<…>` in mrkdwn, and rich text's own elements. */
export function findMentions(message: MessageContent): string[] {
  const texts = [message.text, message.blocks, message.attachments].flatMap(collectMrkdwn);
  const tokens = texts.flatMap((text) => [...text.matchAll(TOKEN)].map((match) => match[1] ?? ""));
  const named = tokens.filter((token) => MENTION.test(token)).map((token) => token.split("|")[0] ?? "");
  return [...new Set([...named, ...collectRichMentions(message.blocks)])];
}

/** Text objects in which Slack would look for mentions and addresses by itself (assumed: `@here` and the like). */
export function findAutoParsed(message: MessageContent): string[] {
  const loose = collectObjects(message.blocks).filter(({ type, verbatim }) => type === "mrkdwn" && verbatim !== true);
  return loose
    .map(({ text }) => String(text))
    .filter((text) => /(?:^|\s)@(?:here|channel|everyone)\b/.test(text.replace(TOKEN, "")));
}

function isBroken(text: string): boolean {
  return /[<>]|&(?!amp;|lt;|gt;)/.test(text);
}

function collectTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  if (typeof value !== "object" || value === null) return [];
  const { text: own, elements, fields } = value as { text?: unknown; elements?: unknown; fields?: unknown };
  return [own, elements, fields].flatMap(collectTexts);
}

/** Texts that are read as mrkdwn: the message's own, mrkdwn objects, and the parts of attachments. */
function collectMrkdwn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return collectObjects(value).flatMap((object) => {
    const parts = object["type"] === undefined ? [object["text"], object["pretext"]] : [];
    if (object["type"] === "mrkdwn") parts.push(object["text"]);
    return parts.filter((part) => typeof part === "string");
  });
}

function collectRichMentions(value: unknown): string[] {
  return collectObjects(value).flatMap((object) => {
    if (object["type"] === "user" && typeof object["user_id"] === "string") return [`@${object["user_id"]}`];
    if (object["type"] === "usergroup") return [`!subteam^${String(object["usergroup_id"])}`];
    return object["type"] === "broadcast" ? [`!${String(object["range"])}`] : [];
  });
}

function collectObjects(value: unknown): Record<string, unknown>[] {
  if (Array.isArray(value)) return value.flatMap(collectObjects);
  if (typeof value !== "object" || value === null) return [];
  return [value as Record<string, unknown>, ...Object.values(value).flatMap(collectObjects)];
}
