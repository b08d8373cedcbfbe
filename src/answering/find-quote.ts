import type { NextCheck, Passage } from "../domain.ts";

export interface FoundQuote {
  readonly passage: Passage;
  /** Verbatim in the passage, blanks as there. */
  readonly quote: string;
  /** Where it begins in the passage's text. */
  readonly from: number;
}

/** A shorter quote would fit anywhere. */
const SHORTEST = 8;

/** The passage that a check quotes: of the source it names, word for word, blanks aside. Null: no such quote. */
export function findQuote({ sourceId, quote }: NextCheck, passages: readonly Passage[]): FoundQuote | null {
  for (const passage of passages) {
    if (passage.sourceId !== sourceId) continue;
    const from = passage.text.indexOf(quote);
    if (quote.trim() !== "" && from >= 0) return { passage, quote, from };
    const loose = findLoosely(passage.text, quote);
    if (loose !== null) return { passage, ...loose };
  }
  return null;
}

/** Models join lines and lose indentation: blanks are compared as one, and the quote becomes what stands in the text. */
function findLoosely(text: string, quote: string): { quote: string; from: number } | null {
  const words = quote.trim().split(/\s+/);
  if (quote.trim().length < SHORTEST) return null;
  const pattern = words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)).join(String.raw`\s+`);
  const match = new RegExp(pattern, "u").exec(text);
  return match === null ? null : { quote: match[0], from: match.index };
}
