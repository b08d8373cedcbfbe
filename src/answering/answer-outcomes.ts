import type { Answer, AskInstead, FocusedQuery, GroundedRecommendation, RunbookLink } from "../domain.ts";
import type { Checked } from "./check-recommendation.ts";
import type { Classified } from "./model-steps.ts";
import type { Retrieval } from "./retrieve-passages.ts";
import type { Clock } from "./start-clock.ts";

/** What every outcome tells. */
export interface SoFar {
  readonly classified: Classified;
  readonly query: FocusedQuery;
  readonly clock: Clock;
  /** Null: nothing was searched yet. */
  readonly found: Retrieval | null;
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
  { passages, uncovered }: Pick<Retrieval, "passages" | "uncovered">,
): Answer {
  return { ...describe(soFar, checked), kind: "answered", recommendation, passages, uncovered };
}

/** Asks back which service is meant; the names are of runbooks that the readers may open. */
export function clarify(soFar: SoFar, services: readonly string[]): Answer {
  const question = "Several services have a runbook that fits. Which one is it about?";
  return { ...describe(soFar, null), kind: "clarify", question, services };
}

const BY_WORDS_ALONE = "Searched by words alone: the embedding model did not answer.";

function describe({ classified, query, clock, found }: SoFar, checked: Checked | null) {
  const searched = found?.byWordsAlone === true ? BY_WORDS_ALONE : null;
  const warnings = [classified.warning, searched, checked?.warning ?? null].filter((warning) => warning !== null);
  return {
    classification: classified.classification,
    query: query.text,
    answeredBy: { classification: classified.answeredBy, recommendation: checked?.answeredBy ?? "none" },
    warnings: [...new Set(warnings)],
    indexVersion: found?.indexVersion ?? null,
    timings: clock.read(),
  };
}
