import type { Classification, DraftRecommendation, GroundedRecommendation, Passage } from "../domain.ts";

export type CitationCheck =
  | { readonly kind: "grounded"; readonly recommendation: GroundedRecommendation; readonly dropped: number }
  | { readonly kind: "rejected"; readonly reason: string };

/** The only maker of a grounded recommendation. */
export function checkCitations(
  draft: DraftRecommendation,
  passages: readonly Passage[],
  _classification: Classification,
): CitationCheck {
  const nextChecks = draft.nextChecks.filter((check) =>
    passages.some((passage) => passage.sourceId === check.sourceId && passage.text.includes(check.quote)),
  );
  if (nextChecks.length === 0) return { kind: "rejected", reason: "no check is supported" };
  const recommendation = { ...draft, nextChecks, sourceIds: [...new Set(nextChecks.map((check) => check.sourceId))] };
  return {
    kind: "grounded",
    recommendation: recommendation as unknown as GroundedRecommendation,
    dropped: draft.nextChecks.length - nextChecks.length,
  };
}
