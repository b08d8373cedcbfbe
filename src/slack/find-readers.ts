import type { AccessPolicy } from "../access/access-policy.ts";
import { audienceFor, type Audience, type Principal } from "../access/audience.ts";
import type { IncomingQuestion } from "./incoming-question.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface Readers {
  readonly audience: Audience;
  readonly botIsOutside: boolean;
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
    if (caller === null) return { audience: audienceFor(policy(), null, place), botIsOutside };
    if (!caller.checked) return "unchecked";
    const principal = isForeign ? asForeign(caller.principal) : caller.principal;
    const audience = audienceFor(policy(), principal, place);
    // Guests, people of other workspaces and bots learn nothing, not even that there is nothing.
    if (principal.standing !== "member" && audience.caller.size === 0) return "nobody";
    return { audience, botIsOutside };
  };
}

/** The event says "another workspace" although the record does not: the lesser of the two holds. */
function asForeign(principal: Principal): Principal {
  return principal.standing === "unknown" ? principal : { ...principal, standing: "foreign" };
}

/** May the readers see less now? Then an answer that was written before must not be shown. */
export function hasShrunk(now: Audience, before: Audience): boolean {
  return lost(before.shared, now.shared) || lost(before.caller, now.caller);
}

function lost(before: ReadonlySet<string>, now: ReadonlySet<string>): boolean {
  return [...before].some((service) => !now.has(service));
}
