import type { AllowedServices } from "../access/allowed-services.ts";
import type { Audience } from "../access/audience.ts";
import type { AccessPolicy } from "../access/access-policy.ts";
import type { Answer, AudienceAnswer, RunbookMetadata } from "../domain.ts";

/** The metadata of runbooks, behind the same filter as the search. */
export type FindRunbooks = (
  sourceIds: readonly string[],
  allowedServices: AllowedServices,
) => Promise<readonly RunbookMetadata[]>;

const STALE_DAYS = 180;
const DAY_MS = 24 * 3_600_000;

/** Adds to an answer which of the runbooks that it quotes nobody has looked at for long, and whose they are. */
export async function warnOfStale(
  found: AudienceAnswer,
  { shared, caller }: Audience,
  findRunbooks: FindRunbooks,
  policy: AccessPolicy,
): Promise<AudienceAnswer> {
  const warn = async <Kind extends Answer>(answer: Kind, allowed: AllowedServices): Promise<Kind> => {
    if (answer.kind !== "answered") return answer;
    const runbooks = await findRunbooks(answer.recommendation.sourceIds, allowed);
    const warnings = runbooks.flatMap((runbook) => describeStale(runbook, policy));
    return warnings.length === 0 ? answer : { ...answer, warnings: [...answer.warnings, ...warnings] };
  };
  const { callerOnly } = found;
  return {
    shared: await warn(found.shared, shared),
    callerOnly: callerOnly === null ? null : await warn(callerOnly, caller),
  };
}

function describeStale({ title, service, owner, lastReviewed }: RunbookMetadata, policy: AccessPolicy): string[] {
  const days = (Date.now() - Date.parse(lastReviewed ?? "")) / DAY_MS;
  // No date says nothing, and neither does one that can't be read.
  if (!(days >= STALE_DAYS)) return [];
  const age = days < 730 ? `${Math.floor(days / 30)} months` : `${Math.floor(days / 365)} years`;
  const whose = owner ?? policy.services.get(service)?.owner;
  return [`“${title}” was last reviewed ${age} ago.${whose === undefined ? "" : ` Owner: ${whose}.`}`];
}
