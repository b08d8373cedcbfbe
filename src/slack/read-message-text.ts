import { z } from "zod";

const Attachment = z.looseObject({
  pretext: z.string().optional().catch(undefined),
  title: z.string().optional().catch(undefined),
  title_link: z.string().optional().catch(undefined),
  text: z.string().optional().catch(undefined),
  fallback: z.string().optional().catch(undefined),
  fields: z
    .array(z.looseObject({ title: z.string().optional(), value: z.string().optional() }))
    .optional()
    .catch(undefined),
  blocks: z.array(z.unknown()).optional().catch(undefined),
});

/** The parts of a Slack message that carry words; anything else is ignored. */
export const MessageContent = z.looseObject({
  text: z.string().optional().catch(undefined),
  blocks: z.array(z.unknown()).optional().catch(undefined),
  attachments: z.array(Attachment).optional().catch(undefined),
});
export type MessageContent = z.infer<typeof MessageContent>;

export interface ReadMessageText {
  /** As people read it, entities decoded; each piece once. */
  readonly text: string;
  /** Addresses that the message links to, decoded, in order. */
  readonly links: readonly string[];
}

/** Deeper nesting is no message that anybody writes. */
const DEEPEST = 12;

/**
 * All words of a message, in the order in which a person reads it: text, blocks, then each attachment's pretext, title,
 * text, fields and blocks, and its fallback only when it gave nothing else.
 */
export function readMessageText(content: MessageContent): ReadMessageText {
  const pieces: string[] = [];
  const said: string[] = [];
  const links = new Set<string>();
  const add = (piece: string | undefined) => {
    const text = piece === undefined ? "" : decode(piece, links).trim();
    const words = wordsOf(text);
    // The same words come several times: as text, as blocks, in a fallback, each with its own marks.
    if (words !== "" && !said.some((other) => other.includes(words))) {
      pieces.push(text);
      said.push(words);
    }
  };
  add(content.text);
  for (const block of content.blocks ?? []) add(readBlock(block));
  for (const attachment of content.attachments ?? []) {
    const before = pieces.length;
    if (attachment.title_link !== undefined) addLink(links, attachment.title_link);
    add(attachment.pretext);
    add(attachment.title);
    add(attachment.text);
    for (const { title, value } of attachment.fields ?? []) add([title, value].filter(Boolean).join(": "));
    for (const block of attachment.blocks ?? []) add(readBlock(block));
    if (pieces.length === before) add(attachment.fallback);
  }
  return { text: pieces.join("\n"), links: [...links] };
}

function wordsOf(text: string): string {
  return text.replace(/[^\p{L}\p{N}]+/gu, "");
}

const Block = z.looseObject({
  type: z.string(),
  text: z
    .union([z.string(), z.looseObject({ text: z.string() })])
    .optional()
    .catch(undefined),
  url: z.string().optional().catch(undefined),
  fields: z
    .array(z.looseObject({ text: z.string() }))
    .optional()
    .catch(undefined),
  elements: z.array(z.unknown()).optional().catch(undefined),
});

/** Words of a block, and of what it contains; buttons and menus say nothing. */
function readBlock(value: unknown, depth = 0): string {
  const parsed = Block.safeParse(value);
  if (!parsed.success || depth > DEEPEST) return "";
  const { type, text, url, fields, elements } = parsed.data;
  if (type === "actions" || type === "button" || type.endsWith("_select")) return "";
  const own = typeof text === "string" ? text : (text?.text ?? "");
  if (type === "link") return url === undefined ? own : `<${url}|${own === "" ? url : own}>`;
  const inner = (elements ?? []).map((element) => readBlock(element, depth + 1)).filter((piece) => piece !== "");
  const separator =
    type === "rich_text_section" || type === "rich_text_preformatted" || type === "rich_text_quote" ? "" : "\n";
  return [own, ...(fields ?? []).map((field) => field.text), inner.join(separator)]
    .filter((piece) => piece !== "")
    .join("\n");
}

/** `<…>` tokens first, then entities, `&amp;` last. */
function decode(text: string, links: Set<string>): string {
  return decodeEntities(
    text.replace(/<([^<>\n]+)>/g, (_token, inside: string) => {
      const [target = "", label] = inside.split("|", 2);
      if (/^https?:\/\//i.test(target)) {
        addLink(links, target);
        return label ?? target;
      }
      if (target.startsWith("mailto:")) return label ?? target.slice("mailto:".length);
      return label ?? "";
    }),
  );
}

function addLink(links: Set<string>, address: string): void {
  if (/^https?:\/\//i.test(address)) links.add(decodeEntities(address));
}

function decodeEntities(text: string): string {
  return text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");
}
