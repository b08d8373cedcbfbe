import { EVERYONE, type AccessPolicy } from "./access-policy.ts";
import type { AccessLocation } from "./access-sources.ts";

/** Something that one access file opens and another does not. */
export interface AccessChange {
  /** `paths`: a glob that no runbook matches yet. */
  readonly kind: "service" | "runbook" | "paths" | "channel" | "alerts" | "admin";
  /** The service, path, glob or channel, or `admins`. */
  readonly what: string;
  /** A user id, `everyone`, a Slack user group, an app, or the service that a channel shows or a glob belongs to. */
  readonly who: string;
  /** In the file that opens it. */
  readonly at: AccessLocation;
}

export interface PolicyComparison {
  readonly grants: readonly AccessChange[];
  readonly removals: readonly AccessChange[];
}

/**
 * What an edit opens and what it closes, group members spelled out. `paths` are the runbooks as they are: one that moves
 * to another service is opened to whom the other service has besides.
 */
export function comparePolicies(before: AccessPolicy, after: AccessPolicy, paths: readonly string[]): PolicyComparison {
  const [old, now] = [listGrants(before), listGrants(after)];
  const moved = paths.map((path) => compareRunbook(before, after, path));
  return {
    grants: [...missingFrom(old, now), ...moved.flatMap(({ grants }) => grants), ...newGlobs(before, after, paths)],
    removals: [
      ...missingFrom(now, old),
      ...moved.flatMap(({ removals }) => removals),
      ...newGlobs(after, before, paths),
    ],
  };
}

function missingFrom(known: ReadonlyMap<string, AccessChange>, wanted: ReadonlyMap<string, AccessChange>) {
  return [...wanted].filter(([key]) => !known.has(key)).map(([, change]) => change);
}

function listGrants(policy: AccessPolicy): ReadonlyMap<string, AccessChange> {
  const found = new Map<string, AccessChange>();
  const add = (kind: AccessChange["kind"], what: string, who: string, keys: readonly PropertyKey[]) => {
    const key = JSON.stringify([kind, what, who]);
    // Lines are looked up for changes only.
    if (!found.has(key)) found.set(key, locateLater({ kind, what, who }, policy, keys));
  };
  for (const { name, readers } of policy.services.values()) {
    readers.forEach((reader, index) => {
      for (const who of subjectsOf(policy, reader)) add("service", name, who, ["services", name, "readers", index]);
    });
  }
  for (const [channel, { services, answerAlertsFrom, watch }] of policy.channels) {
    services.forEach((service, index) => add("channel", channel, service, ["channels", channel, "services", index]));
    // An alert shows what the channel may show without anybody asking.
    if (watch) for (const app of answerAlertsFrom) add("alerts", channel, app, ["channels", channel]);
  }
  policy.admins.forEach((admin, index) => {
    for (const who of subjectsOf(policy, admin)) add("admin", "admins", who, ["admins", index]);
  });
  return found;
}

function locateLater(
  change: Omit<AccessChange, "at">,
  policy: AccessPolicy,
  keys: readonly PropertyKey[],
): AccessChange {
  return {
    ...change,
    get at() {
      return policy.locate(keys);
    },
  };
}

/** Whom a reader stands for: one user, everyone, or a group's members and its Slack user group. */
function subjectsOf(policy: AccessPolicy, reader: string): string[] {
  const group = policy.groups.get(reader);
  if (reader === EVERYONE || group === undefined) return [reader];
  const usergroup = group.slackUsergroup === null ? [] : [`members of the Slack user group ${group.slackUsergroup}`];
  return [...group.members, ...usergroup];
}

function readersOfPath(policy: AccessPolicy, service: string | null): ReadonlySet<string> {
  const readers = service === null ? [] : (policy.services.get(service)?.readers ?? []);
  return new Set(readers.flatMap((reader) => subjectsOf(policy, reader)));
}

/** A runbook that stays with its service changes as its service does. */
function compareRunbook(before: AccessPolicy, after: AccessPolicy, path: string): PolicyComparison {
  const [from, to] = [before.serviceOfPath(path), after.serviceOfPath(path)];
  if (from === to) return { grants: [], removals: [] };
  const [old, now] = [readersOfPath(before, from), readersOfPath(after, to)];
  const list = (
    policy: AccessPolicy,
    service: string | null,
    wanted: ReadonlySet<string>,
    known: ReadonlySet<string>,
  ) =>
    [...wanted]
      .filter((who) => !known.has(who))
      .map((who) => locateLater({ kind: "runbook", what: path, who }, policy, ["services", service ?? "", "runbooks"]));
  return { grants: list(after, to, now, old), removals: list(before, from, old, now) };
}

/** Globs of `after` that its service did not have, and that none of the runbooks shows the effect of. */
function newGlobs(before: AccessPolicy, after: AccessPolicy, paths: readonly string[]): AccessChange[] {
  return [...after.services.values()].flatMap(({ name, runbooks }) => {
    const known = new Set(before.services.get(name)?.runbooks);
    const isUsed = paths.some((path) => after.serviceOfPath(path) === name && before.serviceOfPath(path) !== name);
    return runbooks.flatMap((glob, index) =>
      known.has(glob) || isUsed
        ? []
        : [locateLater({ kind: "paths", what: glob, who: name }, after, ["services", name, "runbooks", index])],
    );
  });
}
