import type { KnownBlock } from "@slack/types";
import { z } from "zod";

import type { Answer } from "../domain.ts";
import { plainLabel } from "./escape-text.ts";

export const CHOICE_ACTION = /^choose-service:\d+$/;
const MOST_CHOICES = 15;
const LONGEST_LABEL = 70;
/** Slack takes 2,000 characters in a button's value. */
const LONGEST_QUESTION = 1500;

/** What a button brings back. A forged one only changes what is asked: rights are looked up for whoever clicks. */
const Choice = z.object({ service: z.string().min(1).max(200), question: z.string().max(LONGEST_QUESTION) });

/** A button for each service that the question may be about; all of them may be seen by everyone who sees the buttons. */
export function renderChoices({ services, classification }: Extract<Answer, { kind: "clarify" }>): KnownBlock {
  return {
    type: "actions",
    elements: services.slice(0, MOST_CHOICES).map((service, index) => ({
      type: "button",
      text: { type: "plain_text", text: plainLabel(service, LONGEST_LABEL) },
      action_id: `choose-service:${index}`,
      value: JSON.stringify({ service, question: classification.summary.slice(0, LONGEST_QUESTION).toWellFormed() }),
    })),
  };
}

/** The question again, with the service that was chosen; null for what is no button of ours. */
export function readChoice(value: string): string | null {
  try {
    const { service, question } = Choice.parse(JSON.parse(value));
    return `${question}\nservice: ${service}`;
  } catch {
    return null;
  }
}

/** The fields that we read of a `block_actions` payload. */
export const ChoicePayload = z.looseObject({
  user: z.looseObject({ id: z.string(), team_id: z.string().nullish() }),
  channel: z.looseObject({ id: z.string() }),
  container: z.looseObject({ message_ts: z.string(), thread_ts: z.string().nullish() }),
  actions: z.array(z.looseObject({ action_id: z.string(), value: z.string().default("") })).min(1),
  response_url: z.string().nullish(),
});
