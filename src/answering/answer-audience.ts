import type { Audience } from "../access/audience.ts";
import type { AudienceAnswer, IncidentMessage } from "../domain.ts";

/** Answers one message for everyone who will read the reply, and for the caller what only the caller may see. */
export type AnswerAudience = (message: IncidentMessage, audience: Audience) => Promise<AudienceAnswer>;
