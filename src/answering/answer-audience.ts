import type { Audience } from "../access/audience.ts";
import type { AudienceAnswer, IncidentMessage } from "../domain.ts";
import type { AnswerIncident } from "./answer-incident.ts";

/** Answers one message for everyone who will read the reply, and for the caller what only the caller may see. */
export type AnswerAudience = (message: IncidentMessage, audience: Audience) => Promise<AudienceAnswer>;

/**
 * Two answers that know nothing of each other: what the place shows is the same whatever the caller may see besides.
 */
export function createAnswerAudience(answerIncident: AnswerIncident): AnswerAudience {
  return async (message, { shared, caller }) => {
    const forAll = await answerIncident(message, { allowedServices: shared, shownAlready: null });
    const seesMore = [...caller].some((service) => !shared.has(service));
    if (!seesMore) return { shared: forAll, callerOnly: null };

    const forCaller = await answerIncident(message, { allowedServices: caller, shownAlready: shared });
    return { shared: forAll, callerOnly: forCaller.kind === "answered" ? forCaller : null };
  };
}
