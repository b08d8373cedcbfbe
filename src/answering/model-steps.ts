import type { AllowedServices } from "../access/allowed-services.ts";
import type { Classification, DraftRecommendation, IncidentMessage, Passage } from "../domain.ts";

/** Steps that a chat model may do; the rules and the runbook's own words do them without one, or when it fails. */
export type Classify = (
  message: IncidentMessage,
  allowedServices: AllowedServices,
  budget: AbortSignal,
) => Promise<Classified>;

export type Recommend = (
  classification: Classification,
  message: IncidentMessage,
  passages: readonly Passage[],
  budget: AbortSignal,
) => Promise<Written>;

export interface Classified {
  readonly classification: Classification;
  /** `rules`, or the model's name. */
  readonly answeredBy: string;
  readonly warning: string | null;
}

export interface Written {
  /** Null when nothing could be quoted. */
  readonly draft: DraftRecommendation | null;
  /** `extractive`, or the model's name. */
  readonly answeredBy: string;
  readonly warning: string | null;
}
