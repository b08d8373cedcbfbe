import { z } from "zod";

import { Accessory, ActionElement, ContextAction, ImageElement, InputElement } from "./block-elements.ts";
import { RichTextElement } from "./rich-text.ts";
import { Image, mrkdwnOf, plainTextOf, textOf } from "./text-objects.ts";

// Blocks with the limits of docs.slack.dev/reference/block-kit/blocks.

const blockId = { block_id: z.string().max(255).optional() };
const everywhere = [
  z
    .strictObject({
      type: z.literal("section"),
      text: textOf(3000).optional(),
      fields: z.array(textOf(2000)).min(1).max(10).optional(),
      accessory: Accessory.optional(),
      expand: z.boolean().optional(),
      ...blockId,
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined, "must define either `text` or `fields`"),
  z.strictObject({ type: z.literal("header"), text: plainTextOf(150), ...blockId }),
  z.strictObject({ type: z.literal("divider"), ...blockId }),
  z.strictObject({ type: z.literal("image"), title: plainTextOf(2000).optional(), ...Image, ...blockId }),
  z.strictObject({
    type: z.literal("context"),
    elements: z
      .array(z.discriminatedUnion("type", [plainTextOf(3000), mrkdwnOf(3000), ImageElement]))
      .min(1)
      .max(10),
    ...blockId,
  }),
  z.strictObject({ type: z.literal("actions"), elements: z.array(ActionElement).min(1).max(25), ...blockId }),
  z.strictObject({ type: z.literal("rich_text"), elements: z.array(RichTextElement).min(1), ...blockId }),
] as const;

/** Slack knows these; the stand-in takes them unread. */
const Unread = z.looseObject({
  type: z.enum(["alert", "card", "carousel", "container", "data_table", "file", "plan", "table", "task_card", "video"]),
  ...blockId,
});

export const MessageBlock = z.discriminatedUnion("type", [
  ...everywhere,
  z.strictObject({ type: z.literal("markdown"), text: z.string().min(1).max(12_000), ...blockId }),
  z.strictObject({ type: z.literal("context_actions"), elements: z.array(ContextAction).min(1).max(5), ...blockId }),
  Unread,
]);

/** Assumed: input blocks in views only, although Slack's reference also lists messages. */
export const ViewBlock = z.discriminatedUnion("type", [
  ...everywhere,
  z.strictObject({
    type: z.literal("input"),
    label: plainTextOf(2000),
    element: InputElement,
    hint: plainTextOf(2000).optional(),
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
    ...blockId,
  }),
  Unread,
]);

export const View = z.strictObject({
  type: z.enum(["home", "modal"]),
  blocks: z.array(ViewBlock).max(100),
  title: plainTextOf(24).optional(),
  submit: plainTextOf(24).optional(),
  close: plainTextOf(24).optional(),
  private_metadata: z.string().max(3000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
});

/** What is wrong, in Slack's words, with a JSON pointer to it. */
export function describeIssues(error: z.ZodError, root: string): string[] {
  return error.issues.map((issue) => `${describe(issue)} [json-pointer:/${[root, ...issue.path].join("/")}]`);
}

function describe(issue: z.core.$ZodIssue): string {
  const isArray = "origin" in issue && issue.origin === "array";
  if (issue.code === "too_big") {
    return isArray
      ? `no more than ${issue.maximum} items allowed`
      : `must be less than ${Number(issue.maximum) + 1} characters`;
  }
  if (issue.code === "too_small") {
    return isArray
      ? `no less than ${issue.minimum} items allowed`
      : `must be more than ${Number(issue.minimum) - 1} characters`;
  }
  if (issue.code === "unrecognized_keys") return `invalid additional property: ${issue.keys.join(", ")}`;
  return issue.code === "invalid_union" ? "unsupported type" : issue.message;
}
