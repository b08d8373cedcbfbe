import { EVERYONE, type AccessPolicy } from "./access-policy.ts";
import { allowServices, intersectServices, type AllowedServices } from "./allowed-services.ts";

/**
 * One person, as far as it could be established. `unknown` covers failed look-ups, deactivated users, bots and people
 * whom nobody could name: it sees nothing.
 */
export interface Principal {
  readonly userId: string;
  readonly standing: "member" | "guest" | "foreign" | "unknown";
  /** Ids of the Slack user groups that this person is in. */
  readonly usergroups: ReadonlySet<string>;
}

/** Where the reply will stand. `members` are the readers of a group direct message, null when they can't be listed. */
export interface Place {
  readonly channelId: string | null;
  readonly kind: "channel" | "direct_message" | "group_direct_message";
  /** Shared with another workspace, or about to be. Unknown counts as shared. */
  readonly shared: boolean;
  readonly members: readonly Principal[] | null;
}

/** `shared`: what may be shown to everyone in the place. `caller`: what may be shown to the caller alone. */
export interface Audience {
  readonly shared: AllowedServices;
  readonly caller: AllowedServices;
}

/**
 * The audience rule: what counts is who can read the reply, not only who asked.
 *
 * | place                  | shown to all                                            | to the caller alone |
 * |------------------------|---------------------------------------------------------|---------------------|
 * | internal channel       | caller's ∩ (services listed for it + `everyone` ones)   | the rest of theirs  |
 * | shared channel         | caller's ∩ services listed for it                       | the rest of theirs  |
 * | direct message         | caller's                                                | (the same)          |
 * | group direct message   | caller's ∩ every other member's; unlisted: `everyone`   | the rest of theirs  |
 * | alert (no caller)      | services listed for the channel (+ `everyone`: internal)| nobody              |
 */
export function audienceFor(policy: AccessPolicy, caller: Principal | null, place: Place): Audience {
  const ofPlace = servicesOfPlace(policy, place);
  if (caller === null) return { shared: ofPlace, caller: allowServices([]) };

  const ofCaller = servicesOfPrincipal(policy, caller);
  if (place.kind === "direct_message") return { shared: ofCaller, caller: ofCaller };
  return { shared: intersectServices(ofCaller, ofPlace), caller: ofCaller };
}

/**
 * What one person may open. Members: what names them, their groups (listed or from Slack) and `everyone`. Guests and
 * people of another workspace: only what the access file grants by their own id. Unknown: nothing.
 */
export function servicesOfPrincipal(policy: AccessPolicy, principal: Principal): AllowedServices {
  if (principal.standing === "unknown") return allowServices([]);
  const readers = [principal.userId, ...groupsOfPrincipal(policy, principal)];
  if (principal.standing === "member") readers.push(EVERYONE);
  const opened = readers.flatMap((reader) => policy.servicesByReader.get(reader) ?? []);
  // Copying the largest set as a whole is much faster than adding its thousands one by one.
  const [largest, ...others] = opened.toSorted((left, right) => right.size - left.size);
  const allowed = new Set(largest);
  for (const services of others) for (const service of services) allowed.add(service);
  return allowServices(allowed);
}

/** May see the bot's own state and the policy's problems; reading a runbook still needs to be one of its readers. */
export function isAdmin(policy: AccessPolicy, principal: Principal): boolean {
  if (principal.standing !== "member") return false;
  const groups = groupsOfPrincipal(policy, principal);
  return policy.admins.some((group) => groups.has(group));
}

/** The caller is the only reader, wherever the question was asked. */
export function forCallerAlone({ caller }: Audience): Audience {
  return { shared: caller, caller };
}

/** Groups of the access file that this person is in; a Slack user group counts only for full members. */
function groupsOfPrincipal(policy: AccessPolicy, principal: Principal): ReadonlySet<string> {
  const groups = new Set(policy.groupsByMember.get(principal.userId));
  if (principal.standing !== "member") return groups;
  for (const usergroup of principal.usergroups) {
    for (const group of policy.groupsByUsergroup.get(usergroup) ?? []) groups.add(group);
  }
  return groups;
}

/** What may be shown in a place whoever asks; a direct message shows what its one reader may see, so nothing by itself. */
function servicesOfPlace(policy: AccessPolicy, place: Place): AllowedServices {
  const everyone = place.shared ? [] : (policy.servicesByReader.get(EVERYONE) ?? []);
  switch (place.kind) {
    case "channel": {
      const listed = place.channelId === null ? [] : (policy.channels.get(place.channelId)?.services ?? []);
      return allowServices([...listed, ...everyone]);
    }
    case "group_direct_message": {
      if (place.members === null) return allowServices(everyone);
      const [first, ...rest] = place.members.map((member) => servicesOfPrincipal(policy, member));
      return rest.reduce(intersectServices, first ?? allowServices([]));
    }
    case "direct_message":
      return allowServices([]);
  }
}
