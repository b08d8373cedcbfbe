import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";

import { LineCounter, parseDocument, type Document } from "yaml";
import { z } from "zod";

import { ConfigurationError } from "../errors.ts";
import { EVERYONE, type AccessPolicy, type GroupPolicy, type ServicePolicy } from "./access-policy.ts";

const USER_ID = /^[UW][A-Z0-9]{2,}$/;
const name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._/ -]*$/u, "must be a name of letters, digits, blank and . _ - /");

const AccessFile = z.strictObject({
  services: z.record(
    name,
    z.strictObject({
      aliases: z.array(z.string().trim().min(1)).optional(),
      owner: name,
      runbooks: z.array(z.string().min(1)).min(1),
      readers: z.array(z.string()),
    }),
  ),
  groups: z
    .record(
      name,
      z
        .strictObject({
          slack_usergroup: z
            .string()
            .regex(/^S[A-Z0-9]+$/, "must be a Slack user group id (S…)")
            .optional(),
          members: z.array(z.string().regex(USER_ID, "must be a Slack user id (U… or W…)")).optional(),
        })
        .refine((group) => group.slack_usergroup !== undefined || group.members !== undefined, {
          message: "needs slack_usergroup or members",
        }),
    )
    .optional(),
  channels: z
    .record(
      z.string().regex(/^[CGD][A-Z0-9]+$/, "must be a Slack channel id (C…)"),
      z.strictObject({
        services: z.array(z.string()),
        answer_alerts_from: z
          .array(z.string().regex(/^[AB][A-Z0-9]+$/, "must be an app id (A…) or a bot id (B…)"))
          .optional(),
        watch: z.boolean().optional(),
      }),
    )
    .optional(),
  links: z
    .strictObject({
      url: z
        .string()
        .regex(/^https?:\/\/[^\s<>|"]+$/, "must be an http(s) address")
        .includes("{path}", { message: "must contain {path}" }),
    })
    .optional(),
  admins: z.array(z.string()).optional(),
  glossary: z.record(z.string().min(1), z.array(z.string().min(1))).optional(),
});
type AccessFile = z.infer<typeof AccessFile>;

/**
 * Reads and checks the access file.
 * @throws ConfigurationError with every problem as `path:line: what, and how to fix it`.
 */
export function readAccessFile(path: string): AccessPolicy {
  let source: string;
  try {
    source = readFileSync(path, "utf8");
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
    throw new ConfigurationError([`${path}: can't be read (${code}); set ACCESS_FILE to your access file`]);
  }
  return parseAccessFile(source, path);
}

/** As `readAccessFile`, from its text; `path` only names the file in problems. */
export function parseAccessFile(source: string, path: string): AccessPolicy {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false });
  if (document.errors.length > 0) {
    throw new ConfigurationError(
      document.errors.map((error) => `${path}:${lines.linePos(error.pos[0]).line}: ${error.message}`),
    );
  }
  const problemAt = (keys: readonly PropertyKey[], message: string): string =>
    `${path}:${lineOf(document, lines, keys)}: ${keys.map(String).join(".") || "file"}: ${message}`;

  const parsed = AccessFile.safeParse(readPlain(document, path));
  if (!parsed.success) {
    throw new ConfigurationError(parsed.error.issues.flatMap((issue) => describeIssue(issue, problemAt)));
  }
  const problems = findDanglingNames(parsed.data).map(({ keys, message }) => problemAt(keys, message));
  if (problems.length > 0) throw new ConfigurationError(problems);
  return toPolicy(parsed.data, createHash("sha256").update(source).digest("hex").slice(0, 12));
}

function readPlain(document: Document, path: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new ConfigurationError([`${path}:1: ${error instanceof Error ? error.message : "can't be read as YAML"}`]);
  }
}

function describeIssue(issue: z.core.$ZodIssue, problemAt: (keys: readonly PropertyKey[], message: string) => string) {
  if (issue.code === "unrecognized_keys") {
    return issue.keys.map((key) => problemAt([...issue.path, key], "unknown key; remove it or correct its spelling"));
  }
  const message = issue.code === "invalid_key" ? (issue.issues[0]?.message ?? issue.message) : issue.message;
  return [problemAt(issue.path, message)];
}

function lineOf(document: Document, lines: LineCounter, keys: readonly PropertyKey[]): number {
  for (let depth = keys.length; depth > 0; depth -= 1) {
    const node: unknown = document.getIn(keys.slice(0, depth), true);
    const range = (node as { range?: [number, number, number] } | undefined)?.range;
    if (range) return lines.linePos(range[0]).line;
  }
  return 1;
}

interface Dangling {
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

/** Names that point nowhere, and services that a reader could mistake for one another. */
function findDanglingNames(file: AccessFile): Dangling[] {
  const groups = new Set(Object.keys(file.groups ?? {}));
  const services = new Set(Object.keys(file.services));
  const found: Dangling[] = [];
  const seen = new Map<string, string>();

  for (const [service, policy] of Object.entries(file.services)) {
    const keys = ["services", service] as const;
    const twin = seen.get(foldName(service));
    if (twin !== undefined) found.push({ keys, message: `differs from ${twin} in case or width only; rename one` });
    seen.set(foldName(service), service);
    if (!groups.has(policy.owner)) {
      found.push({ keys: [...keys, "owner"], message: `${policy.owner} is no group; add it below groups` });
    }
    policy.readers.forEach((reader, index) => {
      if (reader === EVERYONE || groups.has(reader) || USER_ID.test(reader)) return;
      const message = `"${reader}" is no group and no user id; only the word everyone opens a service to all members`;
      found.push({ keys: [...keys, "readers", index], message });
    });
  }
  for (const group of groups) {
    if (group === EVERYONE || USER_ID.test(group)) {
      found.push({ keys: ["groups", group], message: "this name is taken: it means everyone, or one user" });
    }
  }
  for (const [channel, policy] of Object.entries(file.channels ?? {})) {
    policy.services.forEach((service, index) => {
      if (services.has(service)) return;
      found.push({
        keys: ["channels", channel, "services", index],
        message: `"${service}" is no service of this file`,
      });
    });
  }
  file.admins?.forEach((admin, index) => {
    if (!groups.has(admin)) found.push({ keys: ["admins", index], message: `"${admin}" is no group of this file` });
  });
  return found;
}

function foldName(service: string): string {
  return service.normalize("NFKC").toLowerCase();
}

function toPolicy(file: AccessFile, version: string): AccessPolicy {
  const services = new Map<string, ServicePolicy>();
  const servicesByReader = new Map<string, string[]>();
  for (const [service, { aliases, owner, runbooks, readers }] of Object.entries(file.services)) {
    services.set(service, { name: service, aliases: aliases ?? [], owner, runbooks, readers });
    for (const reader of new Set(readers)) append(servicesByReader, reader, service);
  }
  const groups = new Map<string, GroupPolicy>();
  const groupsByMember = new Map<string, string[]>();
  const groupsByUsergroup = new Map<string, string[]>();
  for (const [group, { slack_usergroup: usergroup, members }] of Object.entries(file.groups ?? {})) {
    groups.set(group, { name: group, slackUsergroup: usergroup ?? null, members: new Set(members) });
    for (const member of new Set(members)) append(groupsByMember, member, group);
    if (usergroup !== undefined) append(groupsByUsergroup, usergroup, group);
  }
  const channels = Object.entries(file.channels ?? {}).map(
    ([channel, { services: shown, answer_alerts_from: apps, watch }]) =>
      [channel, { services: shown, answerAlertsFrom: apps ?? [], watch: watch ?? false }] as const,
  );
  return {
    version,
    services,
    groups,
    channels: new Map(channels),
    linkTemplate: file.links?.url ?? null,
    admins: file.admins ?? [],
    glossary: new Map(Object.entries(file.glossary ?? {})),
    servicesByReader,
    groupsByMember,
    groupsByUsergroup,
  };
}

function append(map: Map<string, string[]>, key: string, value: string): void {
  const values = map.get(key);
  if (values) values.push(value);
  else map.set(key, [value]);
}
