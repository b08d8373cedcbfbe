import { z } from "zod";

import type { Catalogue } from "../access/access-policy.ts";
import { CATEGORIES, SEVERITIES, type Classification, type IncidentMessage } from "../domain.ts";
import type { StructuredModel } from "../models/ask-structured.ts";
import { readQueryTerms, readTerms } from "../store/read-terms.ts";
import { createDelimiter } from "./delimit-sources.ts";
import type { Classified } from "./model-steps.ts";
import { readIdentifiers } from "./read-identifiers.ts";

/** Flat and without optional fields: strict servers refuse anything else. */
const ModelClassification = z.object({
  is_incident: z.boolean(),
  ticket_id: z.string().nullable(),
  summary: z.string(),
  category: z.enum(CATEGORIES),
  severity: z.enum(SEVERITIES).nullable(),
  service: z.string().nullable(),
  confidence: z.number(),
  evidence: z.array(z.string()),
  missing_information: z.array(z.string()),
});

const LONGEST_SUMMARY = 300;
const MOST_PIECES = 4;

/**
 * Classification by a chat model, merged with the rules' one: a service must be in the readers' own catalogue, evidence
 * and ticket must stand in the message, and a summary may name nothing that the message does not.
 */
export async function classifyWithModel(
  model: StructuredModel,
  message: IncidentMessage,
  catalogue: Catalogue,
  byRules: Classification,
  signal: AbortSignal,
): Promise<Classified> {
  const delimiter = createDelimiter();
  const services = catalogue.services.map(({ name, aliases }) => [name, ...aliases].join(" = "));
  const rules = [
    "You classify messages about incidents for on-call engineers.",
    delimiter.explanation,
    "Use only what the message says. Evidence is copied from it word for word. A ticket id or severity counts only as it stands there.",
    `service is one of these names, or null: ${services.length === 0 ? "(none)" : services.join("; ")}`,
    "summary is one sentence of at most 200 characters, in English. Name no command, host or number that the message does not name.",
  ].join("\n");
  const material = [
    ...message.thread.map((turn) => delimiter.quote("earlier message", turn)),
    delimiter.quote("message", message.text),
  ].join("\n\n");

  const asked = await model.ask({ rules, material }, ModelClassification, signal);
  if ("failure" in asked) {
    return { classification: byRules, answeredBy: "rules", warning: `Answered without the model (${asked.failure}).` };
  }
  return { classification: merge(asked.value, message, catalogue, byRules), answeredBy: model.name, warning: null };
}

/** Its names stand in the message, and so do most of its words: a summary of something else would steer the search. */
function summarises(summary: string, message: string): boolean {
  const said = readQueryTerms(summary);
  const known = new Set(readTerms(message));
  const shared = said.filter((term) => known.has(term)).length;
  return shared >= said.length * 0.6 && namesOnlyWhatStands(summary, message);
}

function namesOnlyWhatStands(summary: string, message: string): boolean {
  return readIdentifiers(summary).every((identifier) => message.includes(identifier));
}

function merge(
  said: z.infer<typeof ModelClassification>,
  { text, thread }: IncidentMessage,
  catalogue: Catalogue,
  byRules: Classification,
): Classification {
  const stands = (piece: string) => piece.trim() !== "" && text.includes(piece);
  const names = new Set(catalogue.services.map(({ name }) => name));
  const evidence = [...new Set([...byRules.evidence, ...said.evidence.filter(stands)])].slice(0, MOST_PIECES);
  const words = [text, ...thread].join("\n");
  const isSentence = said.summary.length >= 5 && said.summary.length <= LONGEST_SUMMARY;
  const usable = summarises(said.summary, words) && isSentence;
  const translated = byRules.language !== "en" && isSentence && namesOnlyWhatStands(said.summary, words);
  return {
    // A model may see an incident where the rules see talk; what the rules take for one stays one.
    isIncident: byRules.isIncident || said.is_incident,
    ticketId: byRules.ticketId ?? (said.ticket_id !== null && stands(said.ticket_id) ? said.ticket_id : null),
    summary: usable ? said.summary : byRules.summary,
    category: said.category,
    severity: byRules.severity,
    service: byRules.service ?? (said.service !== null && names.has(said.service) ? said.service : null),
    confidence: Math.min(1, Math.max(0, said.confidence)),
    evidence,
    missingInformation: byRules.missingInformation,
    changesTopic: byRules.changesTopic,
    language: byRules.language,
    inEnglish: translated ? said.summary : byRules.inEnglish,
  };
}
