import type { AllowedServices } from "../access/allowed-services.ts";
import type { Answer, IncidentMessage } from "../domain.ts";
import { answered, clarify, noMatch, notAnIncident } from "./answer-outcomes.ts";
import { buildQuery } from "./build-query.ts";
import type { CheckRecommendation } from "./check-recommendation.ts";
import type { Classify, Recommend } from "./model-steps.ts";
import { readMessage } from "./read-message.ts";
import type { Retrieve } from "./retrieve-passages.ts";
import { startClock } from "./start-clock.ts";
import type { ChooseWhomToAsk, NameClosest } from "./whom-to-ask.ts";

/** Everyone who will read the answer may see `allowedServices`; what stands in `shownAlready` they have read elsewhere. */
export interface Readers {
  readonly allowedServices: AllowedServices;
  readonly shownAlready: AllowedServices | null;
}

export type AnswerIncident = (message: IncidentMessage, readers: Readers) => Promise<Answer>;

export interface AnswerSteps {
  readonly classify: Classify;
  readonly retrieve: Retrieve;
  readonly recommend: Recommend;
  readonly check: CheckRecommendation;
  readonly nameClosest: NameClosest;
  readonly chooseWhomToAsk: ChooseWhomToAsk;
  /** Milliseconds that all model calls of one answer may take together. */
  readonly modelBudgetMs: number;
}

/**
 * Answer time: classify → focus → retrieve → recommend → check. The order is fixed: one search, one write, one check.
 * Nothing found: nothing is written, and no model is asked to.
 * @throws PipelineError `permission` (nothing is answered then), `dependency`, `freshness`.
 */
export function createAnswerIncident(steps: AnswerSteps): AnswerIncident {
  return async (message, { allowedServices, shownAlready }) => {
    const clock = startClock(steps.modelBudgetMs);
    const incident = await readMessage(message);
    const classified = await clock.time("classify", steps.classify(incident, allowedServices, clock.budget));
    const { classification } = classified;
    const query = buildQuery(classification, incident.thread, incident.links);
    const soFar = { classified, query, clock, found: null };
    if (!classification.isIncident) return notAnIncident(soFar, steps.chooseWhomToAsk(allowedServices, classification));

    const found = await clock.time("retrieve", steps.retrieve(query, allowedServices, shownAlready));
    const { passages } = found;
    const searched = { ...soFar, found };
    const askInstead = steps.chooseWhomToAsk(allowedServices, classification, found);
    if (passages.length === 0) return noMatch(searched, steps.nameClosest(found), askInstead);
    if (found.twins.length > 0) return clarify(searched, found.twins);

    const written = await clock.time("recommend", steps.recommend(classification, incident, passages, clock.budget));
    const checked = steps.check(written, classification, passages);
    const { recommendation } = checked;
    if (recommendation === null) return noMatch(searched, steps.nameClosest(found), askInstead);
    return answered(searched, checked, recommendation, found);
  };
}
