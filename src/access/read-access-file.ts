import type { z } from "zod";

import { ConfigurationError } from "../errors.ts";
import { AccessFile } from "./access-file-schema.ts";
import { createPolicy, type AccessPolicy, type GroupPolicy, type ServicePolicy } from "./access-policy.ts";
import { readAccessSources, versionOf, type AccessSource } from "./access-sources.ts";
import { findPolicyProblems } from "./find-policy-problems.ts";
import { mergeFiles, type MergedFiles } from "./merge-access-files.ts";

/**
 * Reads and checks the access file, and the files of `access.d/` beside it.
 * @throws ConfigurationError with every problem as `path:line: what, and how to fix it`.
 */
export function readAccessFile(path: string): AccessPolicy {
  return parseAccessSources(readAccessSources(path));
}

/** As `readAccessFile`, from its text; `path` only names the file in problems. */
export function parseAccessFile(source: string, path: string): AccessPolicy {
  return parseAccessSources([{ path, text: source }]);
}

/** As `readAccessFile`, from the texts of all its files. */
export function parseAccessSources(sources: readonly AccessSource[]): AccessPolicy {
  const { file, locate, duplicates } = mergeFiles(sources);
  const problemAt = (keys: readonly PropertyKey[], message: string): string => {
    const { path, line } = locate(keys);
    return `${path}:${line}: ${keys.map(String).join(".") || "file"}: ${message}`;
  };
  const twice = duplicates.map(({ keys, first, second }) => {
    const [here, there] = [`${second.path}:${second.line}`, `${first.path}:${first.line}`];
    return `${here}: ${keys.join(".")}: stands in ${there} already; remove one of the two`;
  });
  if (twice.length > 0) throw new ConfigurationError(twice);
  const parsed = AccessFile.safeParse(file);
  if (!parsed.success) {
    throw new ConfigurationError(parsed.error.issues.flatMap((issue) => describeIssue(issue, problemAt)));
  }
  const problems = findPolicyProblems(parsed.data).map(({ keys, message }) => problemAt(keys, message));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return toPolicy(parsed.data, versionOf(sources), locate);
}

function describeIssue(issue: z.core.$ZodIssue, problemAt: (keys: readonly PropertyKey[], message: string) => string) {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => problemAt([...issue.path, key], "unknown key; remove it or correct its spelling"));
  }
  const message = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [problemAt(issue.path, message)];
}

function toPolicy(file: AccessFile, version: string, locate: MergedFiles["locate"]): AccessPolicy {
  const services = Object.entries(file.services).map(
    ([service, { aliases = [], owner, runbooks, readers }]): [string, ServicePolicy] => [
      service,
      { name: service, aliases, owner, runbooks, readers },
    ],
  );
  const groups = Object.entries(file.groups ?? {}).map(
    ([group, { slack_usergroup: slackUsergroup = null, members = [] }]): [string, GroupPolicy] => [
      group,
      { name: group, slackUsergroup, members: new Set(members) },
    ],
  );
  const channels = Object.entries(file.channels ?? {}).map(
    ([channel, { services: shown, answer_alerts_from: apps = [], watch = false }]) =>
      [channel, { services: shown, answerAlertsFrom: apps, watch }] as const,
  );
  return createPolicy({
    version,
    services: new Map(services),
    groups: new Map(groups),
    channels: new Map(channels),
    linkTemplate: file.links?.url ?? null,
    admins: file.admins ?? [],
    glossary: new Map(Object.entries(file.glossary ?? {})),
    locate,
  });
}
