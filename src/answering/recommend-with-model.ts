import { z } from "zod";

import type { Classification, DraftRecommendation, IncidentMessage, Passage } from "../domain.ts";
import type { StructuredModel } from "../models/ask-structured.ts";
import { createDelimiter, quotePassage } from "./delimit-sources.ts";
import type { Written } from "./model-steps.ts";

/** Flat and without optional fields: strict servers refuse anything else. Limits are checked after it. */
const ModelRecommendation = z.object({
  explanation: z.string(),
  next_checks: z.array(z.object({ text: z.string(), source_id: z.string(), quote: z.string() })),
  source_ids: z.array(z.string()),
  needs_human_review: z.boolean(),
});

const MOST_PASSAGES = 4;

/** A recommendation written by a chat model from 1 to 4 passages. It is a draft: every citation is checked after it. */
export async function recommendWithModel(
  model: StructuredModel,
  classification: Classification,
  message: IncidentMessage,
  passages: readonly Passage[],
  withoutModel: () => DraftRecommendation | null,
  signal: AbortSignal,
): Promise<Written> {
  const delimiter = createDelimiter();
  const rules = [
    "You help on-call engineers: you say which checks come next, from the runbook passages that you are given.",
    delimiter.explanation,
    "1. Use only the supplied ticket fields and passages.",
    "2. Each check is supported by a supplied passage: quote is copied from it word for word, source_id is the passage's.",
    "3. Return in source_ids the ids of the sources that the checks use, and no others.",
    "4. Claim no check or change as performed: nothing was done yet.",
    "Give 1 to 4 checks in the order of the runbook, commands unchanged, each with the warning or condition that the runbook",
    "puts before it. explanation has 20 to 500 characters and says why this runbook fits, in the language of the message.",
  ].join("\n");
  const { ticketId, summary, category, severity, service, evidence } = classification;
  const ticket = JSON.stringify({ ticket_id: ticketId, summary, category, severity, service, evidence });
  const material = [
    delimiter.quote("ticket", ticket),
    delimiter.quote("message", message.text),
    ...passages.slice(0, MOST_PASSAGES).map((passage) => quotePassage(delimiter, passage)),
  ].join("\n\n");

  const asked = await model.ask({ rules, material }, ModelRecommendation, signal);
  if ("failure" in asked) {
    const warning = `Answered without the model (${asked.failure}).`;
    return { draft: withoutModel(), answeredBy: "extractive", warning };
  }
  const { explanation, next_checks: checks, source_ids: sourceIds, needs_human_review: needsHumanReview } = asked.value;
  const nextChecks = checks.map(({ text, source_id: sourceId, quote }) => ({ text, sourceId, quote }));
  return { draft: { explanation, nextChecks, sourceIds, needsHumanReview }, answeredBy: model.name, warning: null };
}
