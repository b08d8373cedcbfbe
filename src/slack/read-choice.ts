import type { z } from "zod";

import type { BotState } from "../store/open-state.ts";
import { IncomingQuestion, type ClickPayload } from "./incoming-question.ts";

const BUTTON_VALUE = /^([0-9a-f]{12}):(\d{1,2})$/;

/**
 * The asker's question again, about the service that was chosen. Null for a value that no button carries, a click in
 * another place, or one of somebody else: the question was the asker's, and so may be its words. What the asker may see is
 * looked up anew, like for any question.
 */
export function readChoice(click: z.infer<typeof ClickPayload>, state: BotState): IncomingQuestion | null {
  const value = click.actions[0]?.value ?? "";
  const [, id = "", index = ""] = BUTTON_VALUE.exec(value) ?? [];
  const choice = state.choices.find(id);
  const service = choice?.services[Number(index)];
  if (choice === null || service === undefined || choice.userId !== click.user.id) return null;
  const question = IncomingQuestion.parse(JSON.parse(choice.question));
  if ((click.channel?.id ?? click.container?.channel_id) !== question.channelId) return null;
  const text = `${question.text} (service: ${service})`;
  return { ...question, claims: [`choice:${value}`], text, chosenService: service };
}

/** The question of an answer again, asked by whoever wants more of it; it is answered for them alone, as far as they may see it. */
export function readMore(click: z.infer<typeof ClickPayload>, state: BotState): IncomingQuestion | null {
  const id = click.actions[0]?.value ?? "";
  const shown = /^[0-9a-f]{12}$/.test(id) ? state.answers.find(id) : null;
  if (shown === null || (click.channel?.id ?? click.container?.channel_id) !== shown.channelId) return null;
  const question = IncomingQuestion.parse(JSON.parse(shown.question));
  const kind = question.kind === "alert" ? "shortcut" : question.kind;
  const claims = [`more:${id}:${click.user.id}:${click.trigger_id}`];
  return { ...question, kind, claims, userId: click.user.id, wantsMore: true };
}
