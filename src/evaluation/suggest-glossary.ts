import type { RankedRunbook } from "../store/passage-store.ts";
import { readQueryTerms, readTerms } from "../store/read-terms.ts";
import type { Miss } from "./name-failures.ts";

export interface GlossarySuggestion {
  /** What people say. */
  readonly word: string;
  /** What the wanted runbooks say. */
  readonly terms: readonly string[];
  readonly questions: readonly string[];
}

const MOST_TERMS = 4;
const SHORTEST_WORD = 3;

/**
 * Entries for the access file's glossary from questions whose runbook was not found: a word of the question that the
 * wanted runbook does not hold, with the words of that runbook's title. For a person to judge; most are no synonyms.
 */
export function suggestGlossary(
  misses: readonly Miss[],
  /** The wanted runbook of a question with its chunks; null when it can't be had. */
  wantedOf: ReadonlyMap<string, RankedRunbook>,
): GlossarySuggestion[] {
  const suggestions = new Map<string, { terms: Set<string>; questions: Set<string> }>();
  for (const { outcome, name } of misses) {
    const wanted = wantedOf.get(outcome.question.id);
    if (wanted === undefined || (name !== "ranking" && name !== "refused")) continue;
    const { runbook, chunks } = wanted;
    const held = new Set(readTerms([runbook.title, runbook.path, ...chunks.map(({ chunk }) => chunk.text)].join("\n")));
    const title = wordsOf(runbook.title).filter(
      (word) => !readTerms(runbook.service).includes(readTerms(word)[0] ?? ""),
    );
    for (const word of new Set(wordsOf(outcome.question.text))) {
      if (readQueryTerms(word).some((term) => held.has(term))) continue;
      const entry = suggestions.get(word) ?? { terms: new Set(), questions: new Set() };
      for (const term of title.slice(0, MOST_TERMS)) entry.terms.add(term);
      entry.questions.add(outcome.question.id);
      suggestions.set(word, entry);
    }
  }
  return [...suggestions]
    .map(([word, { terms, questions }]) => ({ word, terms: [...terms], questions: [...questions] }))
    .filter(({ terms }) => terms.length > 0)
    .toSorted((left, right) => right.questions.length - left.questions.length);
}

/** Words that carry meaning, in lower case, without numbers. */
function wordsOf(text: string): string[] {
  const words =
    text
      .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
      .toLowerCase()
      .match(/\p{L}[\p{L}\p{M}'’-]*/gu) ?? [];
  return words.filter((word) => word.length >= SHORTEST_WORD && readQueryTerms(word).length > 0);
}
