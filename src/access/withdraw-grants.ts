import {
  createPolicy,
  type AccessPolicy,
  type ChannelPolicy,
  type GroupPolicy,
  type ServicePolicy,
} from "./access-policy.ts";
import type { AccessSource } from "./access-sources.ts";
import { createServiceMatcher } from "./match-runbook-path.ts";
import { isPlainObject, type Duplicate } from "./merge-access-files.ts";

/** What an edit with mistakes still says; each question is about something that the policy before it granted. */
export interface StatedGrants {
  readonly reads: (service: string, reader: string) => boolean;
  readonly lists: (group: string, userId: string) => boolean;
  readonly takesUsergroup: (group: string, usergroup: string) => boolean;
  readonly shows: (channel: string, service: string) => boolean;
  readonly answersAlertsOf: (channel: string, app: string) => boolean;
  readonly isAdmin: (group: string) => boolean;
  /** Every service that the edit names, with its globs. */
  readonly globs: ReadonlyMap<string, readonly string[]>;
}

export const NOTHING_STATED: StatedGrants = {
  reads: () => false,
  lists: () => false,
  takesUsergroup: () => false,
  shows: () => false,
  answersAlertsOf: () => false,
  isAdmin: () => false,
  globs: new Map(),
};

/**
 * A good policy without all that an edit takes away. Nothing is ever added: a reader keeps a service only if both name the
 * same reader, a group a member only if both list it, and a runbook belongs to a service only if both say so.
 */
export function withdrawGrants(policy: AccessPolicy, stated: StatedGrants, version: string): AccessPolicy {
  const services = [...policy.services.values()]
    .filter(({ name }) => stated.globs.has(name))
    .map((service): [string, ServicePolicy] => [
      service.name,
      { ...service, readers: service.readers.filter((reader) => stated.reads(service.name, reader)) },
    ]);
  const groups = [...policy.groups.values()].map((group): [string, GroupPolicy] => {
    const { name, slackUsergroup } = group;
    const members = new Set([...group.members].filter((member) => stated.lists(name, member)));
    const keepsUsergroup = slackUsergroup !== null && stated.takesUsergroup(name, slackUsergroup);
    return [name, { name, members, slackUsergroup: keepsUsergroup ? slackUsergroup : null }];
  });
  const channels = [...policy.channels].map(([id, channel]): [string, ChannelPolicy] => [
    id,
    {
      services: channel.services.filter((service) => stated.globs.has(service) && stated.shows(id, service)),
      answerAlertsFrom: channel.answerAlertsFrom.filter((app) => stated.answersAlertsOf(id, app)),
      watch: channel.watch,
    },
  ]);
  const narrowed = createPolicy({
    ...policy,
    version,
    services: new Map(services),
    groups: new Map(groups),
    channels: new Map(channels),
    admins: policy.admins.filter((group) => stated.isAdmin(group)),
  });
  const matchesOf = createServiceMatcher([...stated.globs].map(([name, runbooks]) => ({ name, runbooks })));
  return {
    ...narrowed,
    serviceOfPath(path) {
      const service = policy.serviceOfPath(path);
      const [stated, ...others] = matchesOf(path);
      return service === stated && others.length === 0 ? service : null;
    },
  };
}

/** Read as far as it can be understood from YAML that breaks the rules; a name that stands twice says nothing. */
export function statedByYaml(file: unknown, duplicates: readonly Duplicate[]): StatedGrants {
  const twice = new Set(duplicates.map(({ keys }) => JSON.stringify(keys)));
  const section = (name: string): ReadonlyMap<string, Record<string, unknown>> => {
    const entries = isPlainObject(file) ? file[name] : null;
    if (!isPlainObject(entries) || twice.has(JSON.stringify([name]))) return new Map();
    const stated = Object.entries(entries).filter(([entry]) => !twice.has(JSON.stringify([name, entry])));
    return new Map(stated.flatMap(([entry, value]) => (isPlainObject(value) ? [[entry, value]] : [])));
  };
  const [services, groups, channels] = [section("services"), section("groups"), section("channels")];
  const lists = new Map<unknown, ReadonlySet<unknown>>();
  const has = (list: unknown, value: string) => {
    if (!Array.isArray(list)) return false;
    const values = lists.get(list) ?? new Set<unknown>(list);
    lists.set(list, values);
    return values.has(value);
  };
  const admins = isPlainObject(file) && !twice.has(JSON.stringify(["admins"])) ? file["admins"] : null;
  return {
    reads: (service, reader) => has(services.get(service)?.["readers"], reader),
    lists: (group, userId) => has(groups.get(group)?.["members"], userId),
    takesUsergroup: (group, usergroup) => groups.get(group)?.["slack_usergroup"] === usergroup,
    shows: (channel, service) => has(channels.get(channel)?.["services"], service),
    answersAlertsOf: (channel, app) =>
      channels.get(channel)?.["watch"] === true && has(channels.get(channel)?.["answer_alerts_from"], app),
    isAdmin: (group) => has(admins, group),
    globs: new Map(
      [...services].map(([service, { runbooks }]) => {
        const globs: unknown[] = Array.isArray(runbooks) ? runbooks : [];
        return [service, globs.filter((glob) => typeof glob === "string" && glob !== "")] as [string, string[]];
      }),
    ),
  };
}

/** For a text that is no YAML: a name that stands nowhere in it is granted nothing, however the text is mended. */
export function statedByWords(policy: AccessPolicy, sources: readonly AccessSource[]): StatedGrants {
  const text = sources.map((source) => source.text).join("\n");
  const words = new Set(text.split(/[\s"',[\]{}]+/u).flatMap((word) => [word, word.replace(/:$/, "")]));
  const says = (name: string) => words.has(name) || (/[\s"',[\]{}]/u.test(name) && text.includes(name));
  return {
    reads: (service, reader) => says(service) && says(reader),
    lists: (group, userId) => says(group) && says(userId),
    takesUsergroup: (group, usergroup) => says(group) && says(usergroup),
    shows: (channel, service) => says(channel) && says(service),
    answersAlertsOf: (channel, app) => says(channel) && says(app),
    isAdmin: (group) => says(group),
    globs: new Map(
      [...policy.services.values()]
        .filter(({ name }) => says(name))
        .map(({ name, runbooks }) => [name, runbooks.filter((glob) => says(glob))]),
    ),
  };
}
