import { z } from "zod";

// Block Kit's limits as documented; only the block types that a bot of ours may use are taken.
const plain = (most: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: z.string().min(1).max(most), emoji: z.boolean().optional() });
const mrkdwn = (most: number) =>
  z.strictObject({ type: z.literal("mrkdwn"), text: z.string().min(1).max(most), verbatim: z.boolean().optional() });
const text = (most: number) => z.union([plain(most), mrkdwn(most)]);
const blockId = { block_id: z.string().max(255).optional() };
const button = z.strictObject({
  type: z.literal("button"),
  text: plain(75),
  action_id: z.string().max(255),
  value: z.string().max(2000).optional(),
  url: z.url().max(3000).optional(),
  style: z.enum(["primary", "danger"]).optional(),
});
const feedback = z.looseObject({ type: z.literal("feedback_buttons"), action_id: z.string().max(255) });

/** Rich text is taken as it is: its elements hold plain text, which nothing in it can make live. */
const richText = z.strictObject({
  type: z.literal("rich_text"),
  elements: z
    .array(
      z.looseObject({
        type: z.enum(["rich_text_section", "rich_text_list", "rich_text_preformatted", "rich_text_quote"]),
        elements: z.array(z.unknown()).min(1),
      }),
    )
    .min(1),
  ...blockId,
});

const Block = z.union([
  richText,
  z.strictObject({
    type: z.literal("section"),
    text: text(3000),
    fields: z.array(text(2000)).max(10).optional(),
    accessory: button.optional(),
    ...blockId,
  }),
  z.strictObject({ type: z.literal("header"), text: plain(150), ...blockId }),
  z.strictObject({ type: z.literal("divider"), ...blockId }),
  z.strictObject({ type: z.literal("context"), elements: z.array(text(3000)).min(1).max(10), ...blockId }),
  z.strictObject({ type: z.literal("actions"), elements: z.array(button).min(1).max(25), ...blockId }),
  z.strictObject({ type: z.literal("context_actions"), elements: z.array(feedback).min(1).max(5), ...blockId }),
]);
const LARGEST_PAYLOAD = 13_200;
const LONGEST_TEXT = 40_000;

/** Slack's word for what is wrong with a message, or null. */
export function findMessageFault(message: { text?: string; blocks?: unknown }): string | null {
  if ((message.text ?? "").length > LONGEST_TEXT) return "msg_too_long";
  if (message.blocks === undefined) return (message.text ?? "") === "" ? "no_text" : null;
  const blocks = z.array(Block).max(50).safeParse(message.blocks);
  if (!blocks.success) return "invalid_blocks";
  return JSON.stringify(message.blocks).length > LARGEST_PAYLOAD ? "msg_blocks_too_long" : null;
}

const TOKEN = /<([^<>]*)>/g;

/** Whom a message would notify, and where its live links lead: what stands in `<…>` in its texts. */
export function findLiveTokens(message: { text?: string; blocks?: unknown }): { notified: string[]; links: string[] } {
  const inside = [...JSON.stringify([message.text, message.blocks]).matchAll(TOKEN)].map((match) => match[1] ?? "");
  return {
    notified: inside.filter((token) => /^(?:@|!|#)/.test(token)),
    links: inside.filter((token) => /^[a-z]+:/i.test(token)).map((token) => token.split("|")[0] ?? ""),
  };
}

/** Markup that Slack would show broken: a `<` or `>` that belongs to no token, an `&` that is no entity. */
export function findBrokenMarkup(message: { text?: string; blocks?: unknown }): string[] {
  return collectTexts([message.text, message.blocks]).filter((value) => {
    const rest = value.replace(/<(?:@[A-Z0-9]+|https?:\/\/[^<>|\s]+(?:\|[^<>]*)?)>/g, "");
    return /[<>]|&(?!amp;|lt;|gt;)/.test(rest);
  });
}

function collectTexts(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  if (typeof value !== "object" || value === null) return [];
  const { text: own, elements, fields } = value as { text?: unknown; elements?: unknown; fields?: unknown };
  return [own, elements, fields].flatMap(collectTexts);
}
