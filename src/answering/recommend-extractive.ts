import type { Classification, DraftRecommendation, NextCheck, Passage } from "../domain.ts";
import { hasComment, hasInvisible } from "../markdown/plain-text.ts";
import { readSteps, type Step } from "../markdown/read-steps.ts";
import { readQueryTerms, readTerms } from "../store/read-terms.ts";
import { replaceSpans } from "./mask-secrets.ts";

const MOST_CHECKS = 4;
const LONGEST_EXPLANATION = 500;
const LONGEST_NAME = 120;

/**
 * The runbook's own words: steps of the passages, whole and in their order, each with the warning before it; where no
 * passage has a step, its paragraphs, for a human to judge. Null when nothing can be quoted.
 */
export function recommendExtractive(
  classification: Classification,
  passages: readonly Passage[],
  most = MOST_CHECKS,
): DraftRecommendation | null {
  const quotable = passages.map((passage) => ({
    passage,
    steps: readSteps(passage.text).filter((step) => isQuotable(passage, step)),
  }));
  const hasSteps = quotable.some(({ steps }) => steps[0]?.kind === "step");
  const chosen = hasSteps ? takeSteps(classification, quotable, most) : takeProse(classification, quotable);
  const nextChecks = chosen.flatMap(({ passage, step }) => toCheck(passage, step));
  const [first] = chosen;
  if (first === undefined || nextChecks.length === 0) return null;
  return {
    explanation: explain(classification, first.passage),
    nextChecks,
    sourceIds: [...new Set(nextChecks.map((check) => check.sourceId))],
    needsHumanReview: chosen.some(({ step }) => step.kind === "prose") || leavesStepsOut(passages),
  };
}

/** A step that can't be quoted is missing from the procedure: somebody must look at the runbook itself. */
function leavesStepsOut(passages: readonly Passage[]): boolean {
  return passages.some((passage) =>
    readSteps(passage.text).some((step) => step.kind === "step" && !isQuotable(passage, step)),
  );
}

interface QuotablePassage {
  readonly passage: Passage;
  readonly steps: readonly Step[];
}
interface ChosenStep {
  readonly passage: Passage;
  readonly step: Step;
}

/** An address that runs something where it is opened; no runbook needs one. */
const SCRIPT_ADDRESS = /(?:javascript|vbscript|data):/iu;

/** Comments are nobody's step, invisible letters can't be shown as they are, and script links are no text of a team's. */
function isQuotable({ text }: Passage, { from, to }: Step): boolean {
  const quote = text.slice(from, to);
  return !hasInvisible(quote) && !hasComment(quote) && !SCRIPT_ADDRESS.test(quote);
}

/**
 * Steps in the order of the runbook, the best passage's first. Where the best one is prose, it answers before them. Every
 * runbook that was found has a say: the first gives up its last steps for the first one of each other.
 */
function takeSteps(classification: Classification, passages: readonly QuotablePassage[], most: number): ChosenStep[] {
  const chosen = passages.flatMap(({ passage, steps }, rank) => {
    if (steps[0]?.kind === "step") return steps.map((step) => ({ passage, step }));
    return rank === 0 ? takeProse(classification, passages.slice(0, 1)) : [];
  });
  const byRunbook = [...Map.groupBy(chosen, ({ passage }) => passage.sourceId).values()];
  const firsts = byRunbook.slice(1, most).flatMap((steps) => steps.slice(0, 1));
  const taken = new Set([...(byRunbook[0] ?? []).slice(0, most - firsts.length), ...firsts]);
  for (const step of chosen) {
    if (taken.size >= most) break;
    taken.add(step);
  }
  return byRunbook.flatMap((steps) => steps.filter((step) => taken.has(step)));
}

/** Of each passage the paragraph that shares most words with the incident. */
function takeProse(classification: Classification, passages: readonly QuotablePassage[]): ChosenStep[] {
  const asked = new Set(readQueryTerms([classification.summary, ...classification.evidence].join(" ")));
  return passages.slice(0, MOST_CHECKS).flatMap(({ passage, steps }) => {
    const shared = ({ from, to }: Step) =>
      new Set(readTerms(passage.text.slice(from, to)).filter((term) => asked.has(term))).size;
    const [best] = steps.toSorted((left, right) => shared(right) - shared(left));
    return best === undefined ? [] : [{ passage, step: best }];
  });
}

/** The step with its secrets masked; the quote is the longest verbatim piece of it that holds none. */
function toCheck(passage: Passage, { from, to }: Step): NextCheck[] {
  const secrets = passage.secrets.filter((secret) => secret.to > from && secret.from < to);
  const text = replaceSpans(
    passage.text.slice(from, to),
    secrets.map((secret) => ({ ...secret, from: Math.max(0, secret.from - from), to: secret.to - from })),
  );
  const edges = [from, ...secrets.flatMap((secret) => [secret.from, secret.to]), to];
  let quote = "";
  for (let index = 0; index + 1 < edges.length; index += 2) {
    const piece = passage.text.slice(edges[index], edges[index + 1]).trim();
    if (piece.length > quote.length) quote = piece;
  }
  return quote === "" ? [] : [{ text: text.trim(), sourceId: passage.sourceId, quote }];
}

/** Why this runbook: where it was found, and which words of the incident stand there. */
function explain(classification: Classification, passage: Passage): string {
  const heading = passage.headingTrail.at(-1);
  const place =
    heading === undefined ? `“${shorten(passage.title)}”` : `“${shorten(passage.title)}”, “${shorten(heading)}”,`;
  const words = sharedWords(classification, passage);
  const reason =
    words.length > 0 ? `shares these words with the incident: ${words.join(", ")}.` : "is the closest runbook.";
  return `${place} ${reason}`.slice(0, LONGEST_EXPLANATION);
}

function sharedWords(classification: Classification, passage: Passage): string[] {
  const held = new Set(readTerms([passage.title, ...passage.headingTrail, passage.text].join("\n")));
  const said =
    [...classification.evidence, classification.summary].join(" ").match(/[\p{L}\p{N}][\p{L}\p{N}_-]*/gu) ?? [];
  const isShared = (word: string) => {
    const terms = readQueryTerms(word);
    return word.length > 2 && terms.length > 0 && terms.every((term) => held.has(term));
  };
  const words = said.filter(isShared);
  return [...new Map(words.map((word) => [word.toLowerCase(), word])).values()].slice(0, 5);
}

function shorten(name: string): string {
  return name.length <= LONGEST_NAME ? name : `${name.slice(0, LONGEST_NAME).toWellFormed().trimEnd()}…`;
}
