import type { SlackMessageRecord } from "./slack-world.ts";

/** A message as a person reads it: blocks if there are any, entities decoded, links as `label (address)`. */
export function readAsPerson(message: SlackMessageRecord, nameOf: (id: string) => string = (id) => id): string {
  const blocks = message.blocks?.map(readBlock).filter(Boolean) ?? [];
  const attachments = message.attachments?.map(readAttachment).filter(Boolean) ?? [];
  const parts = [...(blocks.length > 0 ? blocks : [message.text]), ...attachments];
  return parts
    .filter((part) => part !== "")
    .join("\n")
    .replace(
      /<[@#]([A-Z0-9]+)(?:\|([^<>]*))?>/g,
      (token, id: string, label?: string) => `${token[1]}${label ?? nameOf(id)}`,
    )
    .replace(/<!subteam\^([A-Z0-9]+)(?:\|[^<>]*)?>/g, (_token, id: string) => `@${nameOf(id)}`)
    .replace(/<!(here|channel|everyone)(?:\|[^<>]*)?>/g, "@$1")
    .replace(/<!date\^[^<>|]*\|([^<>]*)>/g, "$1")
    .replace(/<((?:https?|mailto):[^<>|]+)\|([^<>]*)>/g, "$2 ($1)")
    .replace(/<((?:https?|mailto):[^<>|]+)>/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

interface AnyBlock {
  readonly type?: string;
  readonly text?: string | { readonly text: string };
  readonly title?: { readonly text: string };
  readonly alt_text?: string;
  readonly accessory?: AnyBlock;
  readonly elements?: readonly AnyBlock[];
  readonly fields?: readonly { readonly text: string }[];
}

function readBlock(block: unknown): string {
  const { type, text, title, alt_text: alt, accessory, elements = [], fields = [] } = block as AnyBlock;
  if (type === "rich_text") return elements.map(readRichText).join("\n");
  if (type === "divider") return "";
  const own = typeof text === "string" ? text : (text?.text ?? "");
  const used = [accessory, ...elements].filter((element) => element !== undefined);
  return [own, ...fields.map((field) => field.text), title?.text, alt, ...used.map(readBlock)]
    .filter(Boolean)
    .join("\n");
}

interface RichText extends Record<string, unknown> {
  readonly type: string;
  readonly style?: unknown;
  readonly elements?: readonly RichText[];
}

/** Rich text's words are no mrkdwn: what looks like markup in them is escaped, so that it stays as it is. */
function readRichText(element: unknown): string {
  const { type, style, elements = [], ...rest } = element as RichText;
  const inner = elements.map(readRichText);
  switch (type) {
    case "rich_text_list":
      return inner.map((item, index) => `${style === "ordered" ? `${index + 1}.` : "•"} ${item}`).join("\n");
    case "rich_text_quote":
      return `> ${inner.join("")}`;
    case "link":
      return rest["text"] === undefined ? escape(rest["url"]) : `${escape(rest["text"])} (${escape(rest["url"])})`;
    case "user":
      return `<@${String(rest["user_id"])}>`;
    case "channel":
      return `<#${String(rest["channel_id"])}>`;
    case "usergroup":
      return `<!subteam^${String(rest["usergroup_id"])}>`;
    case "broadcast":
      return `@${String(rest["range"])}`;
    case "emoji":
      return `:${String(rest["name"])}:`;
    case "text":
      return escape(rest["text"]);
    default:
      return inner.join("");
  }
}

function escape(text: unknown): string {
  return String(text).replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function readAttachment(attachment: unknown): string {
  const { pretext, title, text, fallback, blocks, fields } = attachment as {
    readonly [name: string]: string | undefined;
  } & { readonly blocks?: unknown[]; readonly fields?: readonly { title?: string; value?: string }[] };
  const rows = fields?.map((field) => [field.title, field.value].filter(Boolean).join(": ")) ?? [];
  const shown = [pretext, title, text, ...rows, ...(blocks?.map(readBlock) ?? [])].filter(Boolean);
  return (shown.length > 0 ? shown : [fallback]).filter(Boolean).join("\n");
}
