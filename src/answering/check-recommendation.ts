import type { Classification, GroundedRecommendation, Passage } from "../domain.ts";
import { checkCitations } from "./check-citations.ts";
import type { Written } from "./model-steps.ts";
import { recommendExtractive } from "./recommend-extractive.ts";

export interface Checked {
  /** Null when no check is supported by what was retrieved. */
  readonly recommendation: GroundedRecommendation | null;
  readonly answeredBy: string;
  readonly warning: string | null;
}

export type CheckRecommendation = (
  written: Written,
  classification: Classification,
  passages: readonly Passage[],
) => Checked;

/** Lets only supported checks through; where none of a model's is, the runbook's own steps take their place. */
export const checkRecommendation: CheckRecommendation = ({ draft, answeredBy, warning }, classification, passages) => {
  const checked = draft === null ? null : checkCitations(draft, passages, classification);
  if (checked?.kind === "grounded") return { recommendation: checked.recommendation, answeredBy, warning };

  const own = recommendExtractive(classification, passages);
  const ownChecked = own === null ? null : checkCitations(own, passages, classification);
  const recommendation = ownChecked?.kind === "grounded" ? ownChecked.recommendation : null;
  const unsupported = "Answered without the model (what it wrote is not supported by the runbooks).";
  return { recommendation, answeredBy: "extractive", warning: answeredBy === "extractive" ? warning : unsupported };
};
