import type { Catalogue } from "../access/access-policy.ts";
import { SERVICE_FAMILIES } from "./incident-vocabulary.ts";

const LABEL =
  /\b(?:service|svc|app|application|job|component)["'*]*\s*[:=]\s*["'`*<]*\s*(?:https?:\S+\|)?([\p{L}\p{N}._/-]+)/giu;
/** A misspelled name is still meant when it is long enough that chance is unlikely. */
const SHORTEST_MISSPELLED = 5;

interface Hint {
  readonly service: string;
  readonly strength: number;
  readonly at: number;
}

/**
 * The service of the readers' own catalogue that a text points to: a label (`service=…`), a name, an alias, a misspelled
 * name, or the words around it. Names that the readers may not see are not in the catalogue, so they mean nothing here.
 */
export function findService(text: string, catalogue: Catalogue): string | null {
  const hints = [...findLabels(text, catalogue), ...findNames(text, catalogue), ...findFamilies(text, catalogue)];
  const best = hints.toSorted((left, right) => right.strength - left.strength || left.at - right.at)[0];
  return best?.service ?? null;
}

function findLabels(text: string, catalogue: Catalogue): Hint[] {
  return [...text.matchAll(LABEL)].flatMap((match) => {
    const value = (match[1] ?? "").toLowerCase();
    const service = catalogue.services.find((entry) => namesOf(entry).some((name) => name.toLowerCase() === value));
    return service === undefined ? [] : [{ service: service.name, strength: 4, at: match.index }];
  });
}

function findNames(text: string, catalogue: Catalogue): Hint[] {
  const lower = text.toLowerCase();
  const words = [...lower.matchAll(/[\p{L}\p{N}]+(?:[._/-][\p{L}\p{N}]+)*/gu)];
  return catalogue.services.flatMap((service) =>
    namesOf(service).flatMap((name) => {
      const wanted = name.toLowerCase();
      const at = indexOfWhole(lower, wanted);
      const isName = name === service.name;
      if (at >= 0) return [{ service: service.name, strength: isName ? 3 : 2 + wanted.length / 1000, at }];
      if (wanted.length < SHORTEST_MISSPELLED || wanted.includes(" ")) return [];
      const misspelled = words.find(([word]) => isOneEditAway(word, wanted));
      return misspelled === undefined ? [] : [{ service: service.name, strength: 1, at: misspelled.index }];
    }),
  );
}

function findFamilies(text: string, catalogue: Catalogue): Hint[] {
  return SERVICE_FAMILIES.flatMap(({ anchors, words }) => {
    const [first] = [...text.matchAll(words)];
    if (first === undefined) return [];
    const meant = catalogue.services.filter((entry) =>
      namesOf(entry).some((name) => anchors.includes(name.toLowerCase())),
    );
    const [only] = meant;
    if (only === undefined || meant.length > 1) return [];
    return [{ service: only.name, strength: 0.5 + [...text.matchAll(words)].length / 100, at: first.index }];
  });
}

function namesOf(service: Catalogue["services"][number]): string[] {
  return [service.name, ...service.aliases];
}

/** Where a name stands with no letter or digit beside it; `-1` when it does not. */
function indexOfWhole(text: string, name: string): number {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character);
    if (!isWord(text[at - 1]) && !isWord(text[at + name.length])) return at;
  }
  return -1;
}

/** One letter more, less, changed, or two neighbours swapped (Damerau). */
function isOneEditAway(word: string, name: string): boolean {
  if (word === name || Math.abs(word.length - name.length) > 1) return false;
  let start = 0;
  while (start < word.length && word[start] === name[start]) start += 1;
  const rest = (text: string, from: number) => text.slice(from);
  return (
    rest(word, start + 1) === rest(name, start + 1) ||
    rest(word, start) === rest(name, start + 1) ||
    rest(word, start + 1) === rest(name, start) ||
    (word[start] === name[start + 1] &&
      word[start + 1] === name[start] &&
      rest(word, start + 2) === rest(name, start + 2))
  );
}
