import picomatch from "picomatch";

interface ServicePaths {
  readonly name: string;
  readonly runbooks: readonly string[];
}

/**
 * Gives the function that names every service whose globs match a path (relative to RUNBOOKS_DIR, with `/`). Exactly
 * one is right; none or several is a failure of the file. Matching is exact in case, and `*` does not cross `/`.
 */
export function createServiceMatcher(services: Iterable<ServicePaths>): (path: string) => string[] {
  // With thousands of services, most globs begin with a folder that a path is not in: they are neither compiled nor tried.
  const byFolder = new Map<string, Map<string, string[]>>();
  for (const { name, runbooks } of services) {
    for (const glob of runbooks) {
      const folder = fixedFolder(glob);
      const globs = byFolder.get(folder) ?? new Map<string, string[]>();
      byFolder.set(folder, globs.set(name, [...(globs.get(name) ?? []), glob]));
    }
  }
  const compiled = new Map<string, (readonly [string, (path: string) => boolean])[]>();
  const matchersOf = (folder: string) => {
    let matchers = compiled.get(folder);
    if (matchers === undefined) {
      const globs = byFolder.get(folder) ?? new Map<string, string[]>();
      matchers = [...globs].map(([name, list]) => [name, picomatch(list, { dot: false })] as const);
      compiled.set(folder, matchers);
    }
    return matchers;
  };
  return (path) => {
    const folder = path.split("/", 1)[0] ?? "";
    const tried = [...matchersOf(ANY), ...(folder === ANY ? [] : matchersOf(folder))];
    return [...new Set(tried.filter(([, matches]) => matches(path)).map(([name]) => name))];
  };
}

/** No path begins with an empty folder. */
const ANY = "";

/** The first folder of a glob where it is a plain word; else any. */
function fixedFolder(glob: string): string {
  return /^([\p{L}\p{N}_-][\p{L}\p{N}._-]*)\//u.exec(glob)?.[1] ?? ANY;
}
