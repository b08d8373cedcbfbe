import { EVERYONE } from "./access-policy.ts";
import { USER_ID, type AccessFile } from "./access-file-schema.ts";

export interface PolicyProblem {
  readonly keys: readonly (string | number)[];
  readonly message: string;
}

/** Names that point nowhere, and services that a reader could mistake for one another. */
export function findPolicyProblems(file: AccessFile): PolicyProblem[] {
  const groups = new Set(Object.keys(file.groups ?? {}));
  const services = new Set(Object.keys(file.services));
  const found: PolicyProblem[] = [];
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
