import picomatch from "picomatch";

import type { AccessPolicy } from "./access-policy.ts";

/**
 * Gives the function that names every service whose globs match a path (relative to RUNBOOKS_DIR, with `/`). Exactly
 * one is right; none or several is a failure of the file. Matching is exact in case, and `*` does not cross `/`.
 */
export function createServiceMatcher(policy: AccessPolicy): (path: string) => string[] {
  const matchers = [...policy.services.values()].map(
    (service) => [service.name, picomatch([...service.runbooks], { dot: false })] as const,
  );
  return (path) => matchers.filter(([, matches]) => matches(path)).map(([service]) => service);
}
