import type { AccessPolicy } from "../access/access-policy.ts";
import { audienceFor, type Audience, type Principal } from "../access/audience.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface Readers {
  readonly audience: Audience;
  /** Null: an alert, which nobody asked about. */
  readonly principal: Principal | null;
  readonly botIsOutside: boolean;
  /** An answer that was made under another policy is not posted. */
  readonly policyVersion: string;
}

/** `nobody`: silence. `unchecked`: Slack could not say who asks. */
export type FindReaders = (question: IncomingQuestion) => Promise<Readers | "nobody" | "unchecked">;

/** Who may read the reply, asked of Slack and of the access file anew each time. */
export function createFindReaders({
  whoIsWho,
  policy,
}: {
  readonly whoIsWho: WhoIsWho;
  readonly policy: () => AccessPolicy;
}): FindReaders {
  return async ({ channelId, userId, isForeign }) => {
    const [{ botIsOutside, ...place }, caller] = await Promise.all([
      whoIsWho.place(channelId),
      userId === null ? null : whoIsWho.principal(userId),
    ]);
    const rules = policy();
    const found = { botIsOutside, policyVersion: rules.version };
    if (caller === null) return { ...found, principal: null, audience: audienceFor(rules, null, place) };
    if (!caller.checked) return "unchecked";
    const principal = isForeign ? asForeign(caller.principal) : caller.principal;
    const audience = audienceFor(rules, principal, place);
    // Guests, people of other workspaces and bots learn nothing, not even that there is nothing.
    if (principal.standing !== "member" && audience.caller.size === 0) return "nobody";
    // The access file could not be understood for too long, so nothing holds for anybody.
    if (rules.services.size === 0) return "unchecked";
    return { ...found, principal, audience };
  };
}

/** The event says "another workspace" although the record does not: the lesser of the two holds. */
function asForeign(principal: Principal): Principal {
  return principal.standing === "unknown" ? principal : { ...principal, standing: "foreign" };
}

/**
 * May the readers see less now? Then an answer that was written before must not be shown. Another policy may also have
 * moved a runbook to another service, so it counts as less.
 */
export function hasShrunk(now: Readers, before: Readers): boolean {
  if (now.policyVersion !== before.policyVersion) return true;
  return lost(before.audience.shared, now.audience.shared) || lost(before.audience.caller, now.audience.caller);
}

function lost(before: ReadonlySet<string>, now: ReadonlySet<string>): boolean {
  return [...before].some((service) => !now.has(service));
}
