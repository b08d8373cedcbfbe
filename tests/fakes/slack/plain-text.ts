import type { SlackMessageRecord } from "./slack-world.ts";

/** A message as a person reads it: blocks if there are any, entities decoded, links as `label (address)`. */
export function readAsPerson(message: SlackMessageRecord, nameOf: (userId: string) => string = (id) => id): string {
  const blocks = message.blocks?.map(readBlock).filter((text) => text !== "") ?? [];
  const attachments = message.attachments?.map(readAttachment).filter((text) => text !== "") ?? [];
  const text = [...(blocks.length > 0 ? blocks : [message.text]), ...attachments]
    .filter((part) => part !== "")
    .join("\n");
  return text
    .replace(/<@([A-Z0-9]+)>/g, (_token, id: string) => `@${nameOf(id)}`)
    .replace(/<(https?:[^<>|]+)\|([^<>]*)>/g, "$2 ($1)")
    .replace(/<(https?:[^<>|]+)>/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

interface AnyBlock {
  readonly type?: string;
  readonly text?: string | { readonly text: string };
  readonly elements?: readonly AnyBlock[];
  readonly fields?: readonly { readonly text: string }[];
}

function readBlock(block: unknown): string {
  const { type, text, elements = [], fields = [] } = block as AnyBlock;
  if (type === "rich_text_section" || type === "rich_text_preformatted") return elements.map(readElement).join("");
  const own = typeof text === "string" ? text : (text?.text ?? "");
  return [own, ...fields.map((field) => field.text), ...elements.map(readBlock)]
    .filter((part) => part !== "")
    .join("\n");
}

/** A piece of rich text: its words, or a link's label and address. */
function readElement(element: AnyBlock & { readonly url?: string }): string {
  const words = typeof element.text === "string" ? element.text : "";
  return element.url === undefined ? words : `${words} (${element.url})`;
}

function readAttachment(attachment: unknown): string {
  const { pretext, title, text, fallback } = attachment as Record<string, string | undefined>;
  return [pretext, title ?? (text === undefined ? fallback : undefined), text]
    .filter((part) => part !== undefined)
    .join("\n");
}
