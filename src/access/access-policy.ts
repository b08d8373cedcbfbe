import { allowServices, type AllowedServices } from "./allowed-services.ts";

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

/** The access file as parsed and checked: the trusted source for who may read what. */
export interface AccessPolicy {
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
  /** Services by what their `readers` name: a group, a user id or `everyone`. */
  readonly servicesByReader: ReadonlyMap<string, readonly string[]>;
  /** Groups that list a user id among their `members`. */
  readonly groupsByMember: ReadonlyMap<string, readonly string[]>;
  /** Groups by Slack user group id. */
  readonly groupsByUsergroup: ReadonlyMap<string, readonly string[]>;
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
