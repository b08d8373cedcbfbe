import type { KnownBlock } from "@slack/types";

import { REASONS } from "../feedback/feedback-line.ts";
import type { SlackMessage } from "./fit-message.ts";

export const FEEDBACK = "feedback";
const REASON = "feedback_reason";
const REASON_LABELS: Readonly<Record<(typeof REASONS)[number], string>> = {
  wrong_runbook: "Wrong runbook",
  outdated: "Outdated",
  missing_step: "A step is missing",
  not_allowed: "Should this be shown here?",
};
export const THANKS: SlackMessage = { text: "Thank you, noted.", blocks: [] };

/** Slack's thumbs: the values are an id and a word of ours. */
export function feedbackButtons(answerId: string): KnownBlock {
  const thumb = (text: string, label: string, rating: string) => ({
    text: { type: "plain_text" as const, text, emoji: true },
    accessibility_label: label,
    value: `${answerId}:${rating}`,
  });
  return {
    type: "context_actions",
    elements: [
      {
        type: "feedback_buttons",
        action_id: FEEDBACK,
        positive_button: thumb("👍", "This helped", "up"),
        negative_button: thumb("👎", "This did not help", "down"),
      },
    ],
  };
}

export function askWhy(answerId: string): SlackMessage {
  const text = "Thank you, noted. What was wrong with it?";
  return {
    text,
    blocks: [
      { type: "section", text: { type: "mrkdwn", text, verbatim: true } },
      {
        type: "actions",
        elements: REASONS.map((reason, index) => ({
          type: "button",
          action_id: `${REASON}:${index}`,
          text: { type: "plain_text", text: REASON_LABELS[reason], emoji: false },
          value: `${answerId}:${reason}`,
        })),
      },
    ],
  };
}
