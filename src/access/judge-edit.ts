import { ConfigurationError } from "../errors.ts";
import type { AccessPolicy } from "./access-policy.ts";
import type { AccessSource } from "./access-sources.ts";
import { mergeFiles } from "./merge-access-files.ts";
import { parseAccessSources } from "./read-access-file.ts";
import { statedByWords, statedByYaml, withdrawGrants } from "./withdraw-grants.ts";

export type Verdict =
  | { readonly kind: "good"; readonly policy: AccessPolicy }
  /** `narrowed`: YAML with mistakes. `unreadable`: no YAML, or no file. */
  | {
      readonly kind: "narrowed" | "unreadable";
      readonly policy: AccessPolicy;
      readonly problems: readonly string[];
    };

/**
 * What holds after an edit. A bad one grants nothing new, and what it no longer grants is withdrawn at once: a person who
 * is taken out must not stay in because of a mistake elsewhere. Where it can't be understood at all, what was withdrawn
 * before stays withdrawn. `sources` is null when the files can't be read.
 */
export function judgeEdit(
  { lastGood, current }: { readonly lastGood: AccessPolicy; readonly current: AccessPolicy },
  sources: readonly AccessSource[] | null,
  seen: string,
): Verdict {
  // An emptied file is what a full disk leaves, not a decision.
  if (sources === null || sources[0]?.text.trim() === "") {
    return { kind: "unreadable", policy: current, problems: ["the access file is empty, or can't be read"] };
  }
  const strict = attempt(() => parseAccessSources(sources));
  if ("value" in strict) return { kind: "good", policy: strict.value };

  const { problems } = strict;
  const version = `${lastGood.version}-${seen}`;
  const merged = attempt(() => mergeFiles(sources));
  if ("value" in merged) {
    const { file, duplicates } = merged.value;
    return { kind: "narrowed", policy: withdrawGrants(lastGood, statedByYaml(file, duplicates), version), problems };
  }
  const policy = withdrawGrants(current, statedByWords(current, sources), version);
  return { kind: "unreadable", policy, problems };
}

/** A text that the parser chokes on is a bad one, however it chokes. */
function attempt<Value>(read: () => Value): { readonly value: Value } | { readonly problems: readonly string[] } {
  try {
    return { value: read() };
  } catch (error) {
    return { problems: error instanceof ConfigurationError ? error.problems : ["the access file can't be parsed"] };
  }
}
