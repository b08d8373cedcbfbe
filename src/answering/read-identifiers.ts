/** Code in backticks, addresses, and words that name one thing exactly; each must be copied, never composed. */
const PATTERNS: readonly RegExp[] = [
  /`([^`\n]+)`/gu,
  /\b(https?:\/\/[^\s<>()"'`]+[^\s<>()"'`.,;:!?])/gu,
  // Options: -n, --since, --limit=5
  /(?<![\p{L}\p{N}])(--?[a-zA-Z][\w-]*(?:=[^\s,;)]+)?)/gu,
  // Paths and hosts: /var/log, db-1.example.test:5432
  /(?<![\p{L}\p{N}:/])((?:~|\.{1,2})?\/[\w.@%+-]+(?:\/[\w.@%+-]*)*)/gu,
  /(?<![\w@-])([a-z0-9][\w-]*(?:\.[\w-]+)*\.(?:[a-z]{2,}|\d+)(?::\d+)?(?:\/[\w.-]*)*)(?![\w-])/giu,
  // Names with a mark inside: snake_case, kebab-7c9d, ERR_PAY_1042, ns/name
  /(?<![\p{L}\p{N}_-])([\p{L}\p{N}]+(?:[_/][\p{L}\p{N}]+)+|[\p{L}]+(?:-[\p{L}\p{N}]+)*-\p{N}[\p{L}\p{N}]*)(?![\p{L}\p{N}_])/gu,
  // camelCase and CamelCase
  /(?<![\p{L}\p{N}])(\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*)(?![\p{L}\p{N}])/gu,
  // Numbers with their unit: 5, 30s, 95 %, 1.5GB, 14:05
  /(?<![\p{L}\p{N}_.-])(\p{N}+(?:[.,:]\p{N}+)*(?:\s?(?:%|ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|[KMGT]i?B?|bytes?|rps|qps)(?![\p{L}\p{N}]))?)/gu,
];
/** Small numbers that only count: "two checks", "1 of them". */
const LIST_NUMBER = /^[0-9]$/;

/** Everything in a text that names one thing exactly: commands, options, paths, hosts, numbers, codes, addresses. */
export function readIdentifiers(text: string): string[] {
  const found = PATTERNS.flatMap((pattern) => [...text.matchAll(pattern)].map((match) => (match[1] ?? "").trim()));
  return [...new Set(found.filter((identifier) => identifier !== "" && !LIST_NUMBER.test(identifier)))];
}

/** Does an identifier stand in a text whole, blanks aside? */
export function holdsIdentifier(text: string, identifier: string): boolean {
  const haystack = foldBlanks(text);
  const needle = foldBlanks(identifier);
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
  for (let at = haystack.indexOf(needle); at >= 0; at = haystack.indexOf(needle, at + 1)) {
    const joinsBefore = isWord(needle[0]) && isWord(haystack[at - 1]);
    const joinsAfter = isWord(needle.at(-1)) && isWord(haystack[at + needle.length]);
    if (!joinsBefore && !joinsAfter) return true;
  }
  return false;
}

function foldBlanks(text: string): string {
  return text.replace(/\s+/g, " ");
}
