import type { Answer, GroundedRecommendation } from "../domain.ts";
import { checkCitations } from "./check-citations.ts";
import { recommendExtractive } from "./recommend-extractive.ts";

const MOST_MORE = 16;
/** The citation check lets so many through at once. */
const AT_ONCE = 4;

/** The steps of the quoted runbooks that an answer had no room for, in their order, each checked like those before it. */
export function findMoreChecks(answer: Extract<Answer, { kind: "answered" }>): GroundedRecommendation[] {
  const { classification, recommendation } = answer;
  const passages = answer.passages.filter(({ sourceId }) => recommendation.sourceIds.includes(sourceId));
  const draft = recommendExtractive(classification, passages, recommendation.nextChecks.length + MOST_MORE);
  if (draft === null) return [];
  const isShown = (quote: string) =>
    recommendation.nextChecks.some((shown) => shown.quote.includes(quote) || quote.includes(shown.quote));
  const left = draft.nextChecks.filter(({ quote }) => !isShown(quote));
  const groups = Array.from({ length: Math.ceil(left.length / AT_ONCE) }, (_, index) =>
    left.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );
  return groups.flatMap((nextChecks) => {
    const explanation = "More steps of the same runbooks.";
    const sourceIds = [...new Set(nextChecks.map(({ sourceId }) => sourceId))];
    const checked = checkCitations({ ...draft, explanation, nextChecks, sourceIds }, passages, classification);
    return checked.kind === "grounded" ? [checked.recommendation] : [];
  });
}
