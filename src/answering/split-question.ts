import { readQueryTerms } from "../store/read-terms.ts";

/** Where one question ends and the next begins: a question mark, a semicolon, "and how …". */
const BOUNDARY =
  /[?;]\s*|[,.]?\s+(?:and|also|plus)\s+(?=(?:also\s+)?(?:what|how|where|who|whom|when|which|why|is|are|can|could|do|does|should)\b)/iu;
/** Longer messages are pastes, not lists of questions. */
const LONGEST = 400;
/** With fewer words a part can't be searched for: "and then?" */
const FEWEST_TERMS = 2;

/** The parts of a question that asks several things; empty when it asks one. */
export function splitQuestion(words: string): string[] {
  if (words.length > LONGEST || words.includes("\n")) return [];
  const parts = words.split(BOUNDARY).map((part) => part.replace(/^[\s,.]+|[\s,.]+$/g, ""));
  const searchable = parts.filter((part) => new Set(readQueryTerms(part)).size >= FEWEST_TERMS);
  return searchable.length > 1 ? searchable : [];
}
