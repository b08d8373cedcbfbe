import type { Classification, DraftRecommendation, GroundedRecommendation, NextCheck, Passage } from "../domain.ts";
import { isDestructive } from "./destructive-steps.ts";
import { findQuote, type FoundQuote } from "./find-quote.ts";
import { findDistortion } from "./find-distortion.ts";

export type CitationCheck =
  | { readonly kind: "grounded"; readonly recommendation: GroundedRecommendation; readonly dropped: number }
  | { readonly kind: "rejected"; readonly reason: "no_supported_check" | "unsupported_explanation" };

const EXPLANATION_LENGTH = { least: 20, most: 500 };
const MOST_CHECKS = 4;

/**
 * Lets through what the retrieved passages support: every check quotes a passage of the source it names, and says nothing
 * that the passage or the ticket does not. The only maker of a grounded recommendation, for a model's and for ours.
 */
export function checkCitations(
  draft: DraftRecommendation,
  passages: readonly Passage[],
  classification: Classification,
): CitationCheck {
  const ticket = [classification.summary, ...classification.evidence, classification.ticketId ?? ""].join("\n");
  const supported = draft.nextChecks.flatMap((check) => {
    const found = findQuote(check, passages);
    return found !== null && findDistortion(check, found, ticket) === null ? [{ check, found }] : [];
  });
  if (supported.length === 0) return { kind: "rejected", reason: "no_supported_check" };

  const explanation = draft.explanation.trim();
  const { least, most } = EXPLANATION_LENGTH;
  const cited = passages.filter((passage) => supported.some(({ found }) => found.passage === passage));
  if (explanation.length < least || explanation.length > most || !isSupportedExplanation(explanation, cited, ticket)) {
    return { kind: "rejected", reason: "unsupported_explanation" };
  }
  const nextChecks = inRunbookOrder(supported).slice(0, MOST_CHECKS);
  const dropped = draft.nextChecks.length - nextChecks.length;
  const destructive = nextChecks.some((check) => isDestructive(check.text) || isDestructive(check.quote));
  const recommendation = {
    explanation,
    nextChecks,
    sourceIds: [...new Set(nextChecks.map((check) => check.sourceId))],
    needsHumanReview: draft.needsHumanReview || dropped > 0 || destructive,
  } as unknown as GroundedRecommendation;
  return { kind: "grounded", recommendation, dropped };
}

function isSupportedExplanation(explanation: string, cited: readonly Passage[], ticket: string): boolean {
  const sources = cited.map((passage) =>
    [passage.title, passage.sourceId, ...passage.headingTrail, passage.text].join("\n"),
  );
  return findDistortion({ text: explanation }, { sources: [...sources, ticket] }, ticket) === null;
}

/** Steps depend on those before them: within one source they come in its order, whatever order they were written in. */
function inRunbookOrder(supported: readonly { readonly check: NextCheck; readonly found: FoundQuote }[]): NextCheck[] {
  const firstOf = new Map<string, number>();
  supported.forEach(({ check }, index) => firstOf.set(check.sourceId, firstOf.get(check.sourceId) ?? index));
  const passageOrder = new Map<Passage, number>();
  for (const { found } of supported)
    passageOrder.set(found.passage, passageOrder.get(found.passage) ?? passageOrder.size);
  return supported
    .toSorted(
      (left, right) =>
        (firstOf.get(left.check.sourceId) ?? 0) - (firstOf.get(right.check.sourceId) ?? 0) ||
        (passageOrder.get(left.found.passage) ?? 0) - (passageOrder.get(right.found.passage) ?? 0) ||
        left.found.from - right.found.from,
    )
    .map(({ check, found }) => ({ ...check, quote: found.quote }));
}
