import { z } from "zod";

// Rich text as documented; the limit of a rich_text block's length is not, so only the whole payload bounds it.

const style = { style: z.record(z.string(), z.boolean()).optional() };
const Inline = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text"), text: z.string().min(1), ...style }),
  z.strictObject({
    type: z.literal("link"),
    url: z.string().min(1).max(3000),
    text: z.string().min(1).optional(),
    unsafe: z.boolean().optional(),
    ...style,
  }),
  z.looseObject({ type: z.literal("emoji"), name: z.string().min(1) }),
  z.looseObject({ type: z.literal("user"), user_id: z.string().min(1) }),
  z.looseObject({ type: z.literal("usergroup"), usergroup_id: z.string().min(1) }),
  z.looseObject({ type: z.literal("channel"), channel_id: z.string().min(1) }),
  z.looseObject({ type: z.literal("broadcast"), range: z.enum(["here", "channel", "everyone"]) }),
  z.looseObject({ type: z.enum(["color", "date", "team"]) }),
]);
const border = { border: z.number().optional() };
const Section = z.strictObject({ type: z.literal("rich_text_section"), elements: z.array(Inline) });

export const RichTextElement = z.discriminatedUnion("type", [
  Section,
  z.strictObject({
    type: z.literal("rich_text_list"),
    style: z.enum(["bullet", "ordered"]),
    elements: z.array(Section).min(1),
    indent: z.number().optional(),
    offset: z.number().optional(),
    ...border,
  }),
  z.strictObject({
    type: z.literal("rich_text_preformatted"),
    elements: z.array(Inline).min(1),
    language: z.string().optional(),
    ...border,
  }),
  z.strictObject({ type: z.literal("rich_text_quote"), elements: z.array(Inline).min(1), ...border }),
]);
