import { replaceSpans } from "./mask-secrets.ts";
import type { FoundQuote } from "./find-quote.ts";
import { readSteps } from "../markdown/read-steps.ts";
import { readTerms } from "../store/read-terms.ts";
import { destructiveWords } from "./destructive-steps.ts";
import { holdsIdentifier, readIdentifiers } from "./read-identifiers.ts";

export type Distortion =
  | "unknown identifier"
  | "claims that something was done"
  | "live markup"
  | "changed negation"
  | "dropped warning"
  | "destructive beyond its source"
  | "another subject";

const DONE =
  /\b(?:i|we|it)(?:'ve| have| had)?(?: already| just)? (?:checked|verified|ran|run|restarted|confirmed|fixed|rolled|executed|completed|applied|tested|looked)\b|\b(?:has|have|was|were) (?:already |just |been )*(?:checked|verified|restarted|confirmed|fixed|rolled back|executed|completed|applied|tested|done|resolved)\b|\balready (?:checked|verified|restarted|done|fixed|applied)\b|\bsuccessfully\b/iu;
const LIVE = /<[!@#][^>]*>|<(?:https?|javascript|data|mailto):|\]\([^)]*\)|@(?:channel|here|everyone)\b/iu;
const NEGATION =
  /\b(?:not|never|no|don['’]?t|doesn['’]?t|must ?n['’]?t|can(?:no|['’])t|without|unless|except|avoid|neither|nor)\b/giu;
const WARNING_WORDS = /\b(?:warning|caution|danger|only (?:if|when|after)|do not|don['’]t|never|first|before)\b/iu;

/**
 * What a text says that its source does not, or null. A text that stands in the source word for word says nothing new;
 * one in other words may use no identifier, negation or destructive verb that is not there, and must keep the warning.
 */
export function findDistortion(
  { text }: { readonly text: string },
  source: FoundQuote | { readonly sources: readonly string[] },
  ticket: string,
): Distortion | null {
  const found = "sources" in source ? null : source;
  const whole = found === null ? (source as { sources: readonly string[] }).sources.join("\n") : describePassage(found);
  if (found !== null && standsIn(text, found)) return null;

  if (LIVE.test(text)) return "live markup";
  if (DONE.test(text)) return "claims that something was done";
  const known = `${whole}\n${ticket}`;
  if (!readIdentifiers(text).every((identifier) => holdsIdentifier(known, identifier))) return "unknown identifier";
  if (found === null) return null;

  const passage = found.passage.text.toLowerCase();
  if (!destructiveWords(text).every((word) => passage.includes(word))) return "destructive beyond its source";
  if (countNegations(text) !== countNegations(found.quote) && sharesLanguage(text, found.quote))
    return "changed negation";
  const warning = warningBefore(found);
  if (warning !== null && !WARNING_WORDS.test(text)) return "dropped warning";
  return sharesLanguage(text, found.quote) || isTranslated(text, found.quote) ? null : "another subject";
}

function describePassage({ passage }: FoundQuote): string {
  return [passage.title, ...passage.headingTrail, passage.text].join("\n");
}

/** Word for word in the passage, secrets masked: nothing was composed. */
function standsIn(text: string, { passage }: FoundQuote): boolean {
  const fold = (value: string) => value.replace(/\s+/g, " ").trim();
  return fold(replaceSpans(passage.text, passage.secrets)).includes(fold(text)) && fold(text) !== "";
}

function countNegations(text: string): number {
  return [...text.matchAll(NEGATION)].length;
}

/** The warning that the runbook puts before the quoted step, when the quote leaves it out. */
function warningBefore({ passage, from, quote }: FoundQuote): string | null {
  const step = readSteps(passage.text).find((candidate) => candidate.from <= from && from < candidate.to);
  if (step === undefined || step.kind === "prose") return null;
  const before = passage.text.slice(step.from, from);
  const isWarning = /^[\s>*_]*(?:⚠|warning|caution|danger|important|do not|never)/iu.test(before);
  return isWarning && !quote.includes(before.trim()) ? before : null;
}

/** At least half of a check's words stand in its quote: otherwise it speaks of something else, or another language. */
function sharesLanguage(text: string, quote: string): boolean {
  const said = readTerms(text);
  const quoted = new Set(readTerms(quote));
  return said.filter((term) => quoted.has(term)).length >= said.length * 0.5;
}

/** Few common words but every identifier of the quote: a translation keeps commands as they are. */
function isTranslated(text: string, quote: string): boolean {
  const identifiers = readIdentifiers(quote);
  return identifiers.length > 0 && identifiers.every((identifier) => holdsIdentifier(text, identifier));
}
