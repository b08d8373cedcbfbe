import { z } from "zod";

// Composition objects with the limits of docs.slack.dev/reference/block-kit/composition-objects.

export const plainTextOf = (most: number) =>
  z.strictObject({ type: z.literal("plain_text"), text: z.string().min(1).max(most), emoji: z.boolean().optional() });

export const mrkdwnOf = (most: number) =>
  z.strictObject({ type: z.literal("mrkdwn"), text: z.string().min(1).max(most), verbatim: z.boolean().optional() });

export const textOf = (most: number) => z.discriminatedUnion("type", [plainTextOf(most), mrkdwnOf(most)]);

export const Confirm = z.strictObject({
  title: plainTextOf(100),
  text: textOf(300),
  confirm: plainTextOf(30),
  deny: plainTextOf(30),
  style: z.enum(["primary", "danger"]).optional(),
});

export const Option = z.strictObject({
  text: textOf(75),
  value: z.string().max(150),
  description: textOf(75).optional(),
  url: z.url().max(3000).optional(),
});

export const Image = {
  image_url: z.url().max(3000).optional(),
  slack_file: z.looseObject({}).optional(),
  alt_text: z.string().min(1).max(2000),
};
