import { z } from "zod";

import { Confirm, Image, Option, plainTextOf } from "./text-objects.ts";

// Block elements as documented. Those that the bot is unlikely to use are checked for their type and action_id only.

const actionId = { action_id: z.string().min(1).max(255).optional() };
const accessible = { accessibility_label: z.string().max(75).optional() };

const Button = z.strictObject({
  type: z.literal("button"),
  text: plainTextOf(75),
  value: z.string().max(2000).optional(),
  url: z.url().max(3000).optional(),
  style: z.enum(["primary", "danger"]).optional(),
  confirm: Confirm.optional(),
  ...actionId,
  ...accessible,
});

const options = (most: number) => ({ options: z.array(Option).min(1).max(most) });
const common = { ...actionId, confirm: Confirm.optional(), focus_on_load: z.boolean().optional() };
const placeholder = { placeholder: plainTextOf(150).optional() };

const Overflow = z.strictObject({
  type: z.literal("overflow"),
  ...options(5),
  ...actionId,
  confirm: Confirm.optional(),
});
const StaticSelect = z.strictObject({
  type: z.enum(["static_select", "multi_static_select"]),
  options: z.array(Option).min(1).max(100).optional(),
  option_groups: z
    .array(z.looseObject({ label: plainTextOf(75) }))
    .max(100)
    .optional(),
  initial_option: Option.optional(),
  initial_options: z.array(Option).optional(),
  max_selected_items: z.number().optional(),
  ...common,
  ...placeholder,
});
const Choices = z.strictObject({
  type: z.enum(["checkboxes", "radio_buttons"]),
  ...options(10),
  initial_option: Option.optional(),
  initial_options: z.array(Option).optional(),
  ...common,
});
const OtherInteractive = z.looseObject({
  type: z.enum([
    "channels_select",
    "conversations_select",
    "datepicker",
    "datetimepicker",
    "external_select",
    "multi_channels_select",
    "multi_conversations_select",
    "multi_external_select",
    "multi_users_select",
    "rich_text_input",
    "timepicker",
    "users_select",
    "workflow_button",
  ]),
  ...actionId,
});

const interactive = [Button, Overflow, StaticSelect, Choices, OtherInteractive] as const;
export const ImageElement = z.strictObject({ type: z.literal("image"), ...Image });
export const ActionElement = z.discriminatedUnion("type", [...interactive]);
export const Accessory = z.discriminatedUnion("type", [...interactive, ImageElement]);

const Thumb = z.strictObject({ text: plainTextOf(75), value: z.string().max(2000), ...accessible });
export const ContextAction = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("feedback_buttons"),
    positive_button: Thumb,
    negative_button: Thumb,
    ...actionId,
  }),
  z.strictObject({
    type: z.literal("icon_button"),
    icon: z.string().min(1),
    text: plainTextOf(75),
    value: z.string().max(2000).optional(),
    visible_to_user_ids: z.array(z.string()).optional(),
    confirm: Confirm.optional(),
    ...actionId,
    ...accessible,
  }),
]);

export const InputElement = z.discriminatedUnion("type", [
  StaticSelect,
  Choices,
  OtherInteractive,
  z.looseObject({
    type: z.literal("plain_text_input"),
    multiline: z.boolean().optional(),
    min_length: z.number().max(3000).optional(),
    max_length: z.number().max(3000).optional(),
    ...actionId,
    ...placeholder,
  }),
  z.looseObject({ type: z.enum(["email_text_input", "file_input", "number_input", "url_text_input"]), ...actionId }),
]);
