import { ConfigurationError } from "../errors.ts";
import { createLocator, parseSource, type AccessLocation, type AccessSource } from "./access-sources.ts";

/** The files of a policy as one; `locate` finds where a key stands, in whichever file that is. */
export interface MergedFiles {
  readonly file: unknown;
  readonly locate: (keys: readonly PropertyKey[]) => AccessLocation;
}

/** A name that two files give: neither of them is the rule then. */
export interface Duplicate {
  readonly keys: readonly [string, string] | readonly [string];
  readonly first: AccessLocation;
  readonly second: AccessLocation;
}

/** Sections whose entries have names; the others may stand in one file only. */
const NAMED = new Set(["services", "groups", "channels", "glossary"]);

/**
 * Reads the files and merges them, section by section. What can't be merged stays as it is, for the check that follows.
 * @throws ConfigurationError when a file is no YAML.
 */
export function mergeFiles(sources: readonly AccessSource[]): MergedFiles & { readonly duplicates: Duplicate[] } {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) {
    return { file: parseSource(only), locate: createLocator(only), duplicates: [] };
  }
  const merged = new Map<string, Map<string, unknown> | { readonly value: unknown }>();
  const locators = sources.map(createLocator);
  const owners = new Map<string, (typeof locators)[number]>();
  const duplicates: Duplicate[] = [];
  const claim = (keys: Duplicate["keys"], locate: (typeof locators)[number]) => {
    const name = JSON.stringify(keys);
    const before = owners.get(name);
    if (before !== undefined) duplicates.push({ keys, first: before(keys), second: locate(keys) });
    else owners.set(name, locate);
  };

  const parsed = parseEach(sources);
  for (const [index, content] of parsed.entries()) {
    const locate = locators[index] as (typeof locators)[number];
    if (content === null) continue;
    if (!isPlainObject(content)) return { file: content, locate, duplicates };
    for (const [section, value] of Object.entries(content)) {
      const before = merged.get(section);
      if (NAMED.has(section) && isPlainObject(value) && !(before !== undefined && "value" in before)) {
        const entries = before ?? new Map<string, unknown>();
        merged.set(section, entries);
        for (const [entry, content] of Object.entries(value)) {
          claim([section, entry], locate);
          entries.set(entry, content);
        }
      } else {
        claim([section], locate);
        merged.set(section, { value });
      }
    }
  }
  const [fallback] = locators;
  return {
    file: Object.fromEntries(
      [...merged].map(([section, held]) => [section, "value" in held ? held.value : Object.fromEntries(held)]),
    ),
    locate: (keys) => {
      const [section, entry] = keys.map(String);
      const owner = owners.get(JSON.stringify([section, entry])) ?? owners.get(JSON.stringify([section])) ?? fallback;
      return owner?.(keys) ?? { path: "", line: 1 };
    },
    duplicates,
  };
}

/** Every file's problems at once. */
function parseEach(sources: readonly AccessSource[]): unknown[] {
  const problems: string[] = [];
  const parsed = sources.map((source) => {
    try {
      return parseSource(source);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      problems.push(...error.problems);
      return null;
    }
  });
  if (problems.length > 0) throw new ConfigurationError(problems);
  return parsed;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
