import type { Catalogue } from "../access/access-policy.ts";
import {
  CATEGORIES,
  SEVERITIES,
  type Category,
  type Classification,
  type IncidentMessage,
  type Severity,
} from "../domain.ts";
import { detectLanguage } from "./detect-language.ts";
import { findEvidence } from "./find-evidence.ts";
import { findService } from "./find-service.ts";
import { glossInEnglish } from "./gloss-in-english.ts";
import { ALL_CLEAR, CATEGORY_WORDS, CHATTER, isTicket, SYMPTOM } from "./incident-vocabulary.ts";

const LONGEST_SUMMARY = 500;

/** A question about the other person's doings, not about a service. */
const TO_SOMEBODY = /^(?:did|have|are|will|were) you\b/iu;

/** Classifies a message without a model: the readers' own catalogue, and the words of the message itself. */
export function classifyByRules({ text, thread }: IncidentMessage, catalogue: Catalogue): Classification {
  const isIncident = looksLikeIncident(text);
  const [ownService, earlierService] = isIncident
    ? [findService(text, catalogue), findService(thread.join("\n"), catalogue)]
    : [null, null];
  const service = ownService ?? earlierService;
  const changesTopic = ownService !== null && earlierService !== null && ownService !== earlierService;
  const evidence = isIncident ? findEvidence(text) : [];
  const category = findCategory(text) ?? findCategory(thread.join("\n")) ?? "other";
  const ticketId = findTicket(text);
  const severity = findSeverity(text);
  const said = [...(changesTopic ? [] : thread), text].join("\n");
  const language = detectLanguage(said);
  return {
    isIncident,
    ticketId,
    summary: summarise(text),
    category,
    severity,
    service,
    confidence: rateConfidence({ service, evidence, category, ticketId, severity }),
    evidence,
    missingInformation: isIncident ? findMissing(text, service, evidence) : [],
    changesTopic,
    language,
    inEnglish: glossInEnglish(said, language),
  };
}

/** Talk, all-clears and questions about somebody's doings are none; anything else may be, and the search decides. */
function looksLikeIncident(text: string): boolean {
  const words = text.replace(/:[\w+-]+:|[\p{Extended_Pictographic}\u{FE0F}]/gu, " ").trim();
  if (!/[\p{L}\p{N}]/u.test(words) || ALL_CLEAR.test(words) || CHATTER.test(words)) return false;
  return SYMPTOM.test(text) || !TO_SOMEBODY.test(words);
}

function findTicket(text: string): string | null {
  const dashed = [...text.matchAll(/\b[A-Z][A-Z0-9]{1,9}-\d{1,7}\b/g)].map(([word]) => word).find(isTicket);
  if (dashed !== undefined) return dashed;
  const incident = /\b(inc|incident|ticket)[- ]?(\d{2,7})\b/iu.exec(text);
  if (incident) return `${(incident[1] ?? "").slice(0, 3).toUpperCase()}-${incident[2] ?? ""}`;
  return /(?:^|\s)(#\d{2,7})\b/.exec(text)?.[1] ?? null;
}

function findSeverity(text: string): Severity | null {
  const level = /\b(?:sev(?:erity)?[- :=]*|p)([1-5])\b/iu.exec(text)?.[1];
  return SEVERITIES.find((severity) => severity === `SEV${level ?? ""}`) ?? null;
}

function findCategory(text: string): Category | null {
  let best: { category: Category; count: number } | null = null;
  for (const category of CATEGORIES) {
    if (category === "other") continue;
    const count = [...text.matchAll(CATEGORY_WORDS[category])].length;
    if (count > (best?.count ?? 0)) best = { category, count };
  }
  return best?.category ?? null;
}

function summarise(text: string): string {
  const line = text.replaceAll("```", " ").replace(/\s+/g, " ").trim();
  if (line.length <= LONGEST_SUMMARY) return line;
  const cut = line.slice(0, LONGEST_SUMMARY).toWellFormed().replaceAll("\u{FFFD}", "");
  return cut.slice(0, Math.max(cut.lastIndexOf(" "), LONGEST_SUMMARY / 2));
}

function rateConfidence(
  found: Pick<Classification, "service" | "evidence" | "category" | "ticketId" | "severity">,
): number {
  const points =
    0.3 +
    (found.service === null ? 0 : 0.3) +
    (found.evidence.length === 0 ? 0 : 0.2) +
    (found.category === "other" ? 0 : 0.1) +
    (found.ticketId === null && found.severity === null ? 0 : 0.05);
  return Math.round(points * 100) / 100;
}

function findMissing(text: string, service: string | null, evidence: readonly string[]): string[] {
  const missing: string[] = [];
  if (service === null) missing.push("Affected service");
  if (evidence.length === 0) missing.push("Exact error message or alert name");
  if (!/\d\s*(?:%|percent|min|hours?|users?|requests?)|\ball\b|\beveryone\b|\bnobody\b/iu.test(text)) {
    missing.push("Affected request percentage");
  }
  if (!/\b(?:since|after|ago|today|yesterday|started|\d{1,2}:\d{2}|depuis|seit|desde)\b/iu.test(text))
    missing.push("Start time");
  return missing;
}
