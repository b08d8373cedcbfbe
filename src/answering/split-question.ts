import { readQueryTerms } from "../store/read-terms.ts";

const ASKING = "what|how|where|who|whom|when|which|why|is|are|am|can|could|do|does|did|should|will|may|must";
/** Where one sentence ends and the next begins, and "…, and how …" within one. */
const BOUNDARY = new RegExp(`(?<=[?.!])\\s+|[,.]?\\s+(?:and|also|plus)\\s+(?=(?:also\\s+)?(?:${ASKING})\\b)`, "iu");
const QUESTION = new RegExp(`\\?$|^(?:also\\s+)?(?:${ASKING})\\b`, "iu");
/** Longer messages are pastes, not lists of questions. */
const LONGEST = 400;
/** With fewer words a part can't be searched for: "and then?" */
const FEWEST_TERMS = 2;

/** The questions of a message that asks several things; empty when it asks one. What is no question is no part. */
export function splitQuestion(words: string): string[] {
  if (words.length > LONGEST || words.includes("\n")) return [];
  const parts = words
    .split(BOUNDARY)
    .map((part) => part.trim())
    .filter((part) => QUESTION.test(part) && new Set(readQueryTerms(part)).size >= FEWEST_TERMS);
  return parts.length > 1 ? parts.map((part) => part.replace(/[\s?.!,]+$/u, "")) : [];
}
