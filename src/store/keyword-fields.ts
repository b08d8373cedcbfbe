import { readSearchableText } from "../markdown/plain-text.ts";
import type { KeywordFields, TermField } from "./passage-store.ts";
import { readTerms } from "./read-terms.ts";

const ADDRESS = /https?:\/\/\S+/g;

/** The fields of a chunk or a whole runbook for keyword search. `service` holds the service's name and aliases. */
export function readKeywordFields(source: {
  readonly title: string;
  readonly headings: readonly string[];
  readonly path: string;
  readonly service: readonly string[];
  readonly markdown: string;
}): KeywordFields {
  return {
    title: countTerms(source.title),
    headings: countTerms(source.headings.join("\n")),
    path: countTerms(source.path.replace(/\.md$/i, "")),
    service: countTerms(source.service.join("\n")),
    body: countTerms(readSearchableText(source.markdown.replace(ADDRESS, " "))),
  };
}

function countTerms(text: string): TermField {
  const counts = new Map<string, number>();
  const terms = readTerms(text);
  for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
  return { counts, length: terms.length };
}
