import { z } from "zod";

export const FEEDBACK_FILE = "feedback.jsonl";

export const REASONS = ["wrong_runbook", "outdated", "missing_step", "not_allowed"] as const;

/** One rating. The last one of a person for an answer counts. */
export const FeedbackLine = z.object({
  /** ISO 8601, UTC. */
  at: z.iso.datetime(),
  answer_id: z.string(),
  /** Who rates. */
  user: z.string(),
  /** Null: an alert. */
  asked_by: z.string().nullable(),
  rating: z.enum(["up", "down"]),
  /** Null: none was given (yet). `not_allowed`: somebody saw what perhaps not everybody there may see. */
  reason: z.enum(REASONS).nullable(),
  /** The question, its secrets and personal data masked. */
  text: z.string(),
  sources: z.array(z.string()).readonly(),
  index: z.string().nullable(),
});
export type FeedbackLine = z.infer<typeof FeedbackLine>;
