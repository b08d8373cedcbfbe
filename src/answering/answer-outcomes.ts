import type { Answer, AskInstead, FocusedQuery, GroundedRecommendation, Passage, RunbookLink } from "../domain.ts";
import type { Checked } from "./check-recommendation.ts";
import type { Classified } from "./model-steps.ts";
import type { Clock } from "./start-clock.ts";

/** What every outcome tells. */
export interface SoFar {
  readonly classified: Classified;
  readonly query: FocusedQuery;
  readonly clock: Clock;
  /** Null: nothing was searched yet. */
  readonly indexVersion: string | null;
}

export function notAnIncident(soFar: SoFar, askInstead: AskInstead): Answer {
  return { ...describe(soFar, null), kind: "not_an_incident", askInstead };
}

export function noMatch(soFar: SoFar, closest: readonly RunbookLink[], askInstead: AskInstead): Answer {
  return { ...describe(soFar, null), kind: "no_match", closest, askInstead };
}

export function answered(
  soFar: SoFar,
  checked: Checked,
  recommendation: GroundedRecommendation,
  passages: readonly Passage[],
): Answer {
  return { ...describe(soFar, checked), kind: "answered", recommendation, passages, uncovered: [] };
}

function describe({ classified, query, clock, indexVersion }: SoFar, checked: Checked | null) {
  const warnings = [classified.warning, checked?.warning ?? null].filter((warning) => warning !== null);
  return {
    classification: classified.classification,
    query: query.text,
    answeredBy: { classification: classified.answeredBy, recommendation: checked?.answeredBy ?? "none" },
    warnings: [...new Set(warnings)],
    indexVersion,
    timings: clock.read(),
  };
}
