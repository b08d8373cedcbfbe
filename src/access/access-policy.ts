import type { AccessLocation } from "./access-sources.ts";
import { allowServices, type AllowedServices } from "./allowed-services.ts";
import { createServiceMatcher } from "./match-runbook-path.ts";

export interface ServicePolicy {
  readonly name: string;
  readonly aliases: readonly string[];
  /** A group: whom to ask. */
  readonly owner: string;
  /** Globs on the path relative to RUNBOOKS_DIR. */
  readonly runbooks: readonly string[];
  /** Groups, user ids, or `everyone`. */
  readonly readers: readonly string[];
}

export interface GroupPolicy {
  readonly name: string;
  readonly slackUsergroup: string | null;
  readonly members: ReadonlySet<string>;
}

export interface ChannelPolicy {
  readonly services: readonly string[];
  readonly answerAlertsFrom: readonly string[];
  readonly watch: boolean;
}

/** What the access file says, checked. */
export interface PolicyContent {
  /** SHA-256 of the file, hex, shortened: names the policy in logs and audit lines. */
  readonly version: string;
  readonly services: ReadonlyMap<string, ServicePolicy>;
  readonly groups: ReadonlyMap<string, GroupPolicy>;
  readonly channels: ReadonlyMap<string, ChannelPolicy>;
  /** Link template with `{path}`, `{line}`, `{commit}`; null: no links. */
  readonly linkTemplate: string | null;
  /** Groups. */
  readonly admins: readonly string[];
  /** What people say -> what runbooks say. */
  readonly glossary: ReadonlyMap<string, readonly string[]>;
  /** Where in the access file some keys stand. */
  readonly locate: (keys: readonly PropertyKey[]) => AccessLocation;
}

/** The access file as parsed and checked, ready for questions: the trusted source for who may read what. */
export interface AccessPolicy extends PolicyContent {
  /** Services by what their `readers` name: a group, a user id or `everyone`. */
  readonly servicesByReader: ReadonlyMap<string, ReadonlySet<string>>;
  /** Groups that list a user id among their `members`. */
  readonly groupsByMember: ReadonlyMap<string, readonly string[]>;
  /** Groups by Slack user group id. */
  readonly groupsByUsergroup: ReadonlyMap<string, readonly string[]>;
  /** The one service whose globs match a runbook's path; null where none or several do. */
  readonly serviceOfPath: (path: string) => string | null;
}

export const EVERYONE = "everyone";

/** What the classification may know of services: those that the readers may see, and no others. */
export interface Catalogue {
  readonly services: readonly Pick<ServicePolicy, "name" | "aliases" | "owner">[];
  readonly glossary: ReadonlyMap<string, readonly string[]>;
}

export function catalogueFor(policy: AccessPolicy, allowedServices: AllowedServices): Catalogue {
  const services = [...policy.services.values()].filter((service) => allowedServices.has(service.name));
  return { services, glossary: policy.glossary };
}

/** Every service of the file: for `evaluate` without `as`, and for indexing. Never for a person. */
export function everyService(policy: AccessPolicy): AllowedServices {
  return allowServices(policy.services.keys());
}

/** A policy is never changed: an edit makes another one. */
export function createPolicy(content: PolicyContent): AccessPolicy {
  const servicesByReader = new Map<string, Set<string>>();
  for (const { name, readers } of content.services.values()) {
    for (const reader of readers) {
      const services = servicesByReader.get(reader);
      if (services === undefined) servicesByReader.set(reader, new Set([name]));
      else services.add(name);
    }
  }
  const groupsByMember = new Map<string, string[]>();
  const groupsByUsergroup = new Map<string, string[]>();
  for (const { name, slackUsergroup, members } of content.groups.values()) {
    for (const member of members) append(groupsByMember, member, name);
    if (slackUsergroup !== null) append(groupsByUsergroup, slackUsergroup, name);
  }
  const index = { servicesByReader, groupsByMember, groupsByUsergroup };
  return { ...content, ...index, serviceOfPath: rememberService(content) };
}

/** Paths come again with every question, so each is matched once. */
function rememberService({ services }: PolicyContent): (path: string) => string | null {
  const matchesOf = createServiceMatcher(services.values());
  const known = new Map<string, string | null>();
  return (path) => {
    let service = known.get(path);
    if (service === undefined) {
      const matches = matchesOf(path);
      service = matches.length === 1 ? (matches[0] ?? null) : null;
      known.set(path, service);
    }
    return service;
  };
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
