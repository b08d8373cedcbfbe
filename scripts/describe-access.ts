import type { AccessLocation } from "../src/access/access-sources.ts";
import type { AccessChange, PolicyComparison } from "../src/access/compare-policies.ts";
import type { OpenService, Reason, RunbookReaders } from "../src/access/explain-access.ts";

export interface ExplainedPerson {
  readonly userId: string;
  readonly standing: string;
  readonly sees: readonly OpenService[];
  /** Null: no channel was asked about. */
  readonly inChannel: { readonly toEveryone: readonly string[]; readonly toThemAlone: readonly string[] } | null;
  readonly unknownUsergroups: readonly string[];
}

export interface ExplainedChannel {
  readonly id: string;
  readonly isListed: boolean;
  readonly shows: readonly OpenService[];
}

export function describePerson({ userId, standing, sees, inChannel, unknownUsergroups }: ExplainedPerson): string {
  const lines =
    standing === "unknown"
      ? [`${userId} may see nothing: the access file lists no such user (Slack may know them as a full member)`]
      : sees.length === 0
        ? [`${userId} may see nothing`]
        : [`${userId} may see:`, ...sees.flatMap(describeService)];
  if (inChannel !== null) {
    lines.push(
      `asked there by ${userId}, everyone sees: ${listNames(inChannel.toEveryone)}`,
      `and ${userId} alone: ${listNames(inChannel.toThemAlone)}`,
    );
  }
  if (unknownUsergroups.length > 0) {
    lines.push(`without Slack, no members are known of: ${unknownUsergroups.join(", ")}`);
  }
  return `${lines.join("\n")}\n`;
}

export function describeChannel({ id, isListed, shows }: ExplainedChannel): string {
  const listed = isListed ? "" : " (not listed in the access file)";
  if (shows.length === 0) return `${id}${listed} shows nothing\n`;
  return `${[`${id}${listed} may show, to whoever may see it too:`, ...shows.flatMap(describeService)].join("\n")}\n`;
}

export function describeRunbook(path: string, { service, readers, channels }: RunbookReaders): string {
  if (service === null) return `${path}: nobody may open it; no service, or more than one, has a glob that matches\n`;
  const lines = [`${path} belongs to ${service}; who may open it:`];
  for (const { reader, kind, at, members, slackUsergroup } of readers) {
    const inGroup = [...members, ...(slackUsergroup === null ? [] : [`Slack user group ${slackUsergroup}`])];
    const who = kind === "group" ? `${reader}: ${listNames(inGroup)}` : reader;
    lines.push(`  ${who}  (${place(at)})`);
  }
  if (readers.length === 0) lines.push("  nobody");
  for (const { channel, at } of channels) lines.push(`  ${channel} may show it  (${place(at)})`);
  return `${lines.join("\n")}\n`;
}

export function describeChanges({ grants, removals }: PolicyComparison): string {
  const lines = [
    ...grants.map((change) => `+ ${describeChange(change)}  (${place(change.at)})`),
    ...removals.map((change) => `- ${describeChange(change)}  (${place(change.at)})`),
    `${grants.length} opened, ${removals.length} closed`,
  ];
  return `${lines.join("\n")}\n`;
}

function describeChange({ kind, what, who }: AccessChange): string {
  switch (kind) {
    case "service":
    case "runbook":
      return `${who} may read ${what}`;
    case "paths":
      return `${who} takes in ${what}`;
    case "channel":
      return `${what} may show ${who}`;
    case "alerts":
      return `alerts of ${who} are answered in ${what}`;
    case "admin":
      return `${who} is an admin`;
  }
}

function describeService({ service, because }: OpenService): string[] {
  return [`  ${service}`, ...because.map((reason) => `    ${describeReason(reason)}`)];
}

function describeReason({ rule, name, at, memberAt }: Reason): string {
  const where = memberAt === null ? place(at) : `${place(at)}, member: ${place(memberAt)}`;
  switch (rule) {
    case "user":
      return `named by id  (${where})`;
    case "everyone":
      return `open to everyone  (${where})`;
    case "members":
      return `in the group ${name}  (${where})`;
    case "slack_usergroup":
      return `in the Slack user group of ${name}  (${where})`;
    case "channel":
      return `listed for ${name}  (${where})`;
  }
}

function place({ path, line }: AccessLocation): string {
  return `${path}:${line}`;
}

function listNames(names: readonly string[]): string {
  return names.length === 0 ? "nothing" : names.join(", ");
}

export function toPersonJson({ userId, standing, sees, inChannel, unknownUsergroups }: ExplainedPerson) {
  return {
    user: userId,
    standing,
    sees: sees.map(toServiceJson),
    ...(inChannel === null
      ? {}
      : { asked_in_channel: { everyone: inChannel.toEveryone, alone: inChannel.toThemAlone } }),
    slack_usergroups_unknown: unknownUsergroups,
  };
}

export function toChannelJson({ id, isListed, shows }: ExplainedChannel) {
  return { channel: { id, listed: isListed, shows: shows.map(toServiceJson) } };
}

export function toRunbookJson(path: string, { service, readers, channels }: RunbookReaders) {
  return {
    runbook: path,
    service,
    readers: readers.map(({ reader, kind, at, members, slackUsergroup }) => ({
      reader,
      kind,
      members,
      slack_usergroup: slackUsergroup,
      ...at,
    })),
    channels: channels.map(({ channel, at }) => ({ channel, ...at })),
  };
}

export function toChangeJson({ grants, removals }: PolicyComparison) {
  const list = (changes: readonly AccessChange[]) =>
    changes.map(({ kind, what, who, at }) => ({ kind, what, who, ...at }));
  return { grants: list(grants), removals: list(removals) };
}

function toServiceJson({ service, because }: OpenService) {
  return {
    service,
    because: because.map(({ rule, name, at, memberAt }) => ({ rule, name, ...at, member: memberAt })),
  };
}
