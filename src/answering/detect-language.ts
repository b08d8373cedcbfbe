import { deu, eng, fra, por, spa } from "stopword";

import type { Language } from "../domain.ts";
import { CHAT_FILLER } from "../store/read-terms.ts";

const LISTS: readonly (readonly [Language, ReadonlySet<string>])[] = [
  ["en", new Set([...eng, ...CHAT_FILLER])],
  ["de", new Set(deu)],
  ["es", new Set(spa)],
  ["fr", new Set(fra)],
  ["pt", new Set(por)],
];
/** One word of one language alone, or several that it shares with others. */
const LEAST_WEIGHT = 1;

/**
 * The language of a message by its function words, and by its script for Chinese. Code and names have neither, so a
 * pasted English log in a French question does not make it English.
 */
export function detectLanguage(text: string): Language {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const han = text.match(/\p{Script=Han}/gu)?.length ?? 0;
  if (han > 0 && !/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) && han * 3 >= letters * 0.2) return "zh";
  const weights = new Map<Language, number>();
  for (const [word] of text.toLowerCase().matchAll(/(?<![\p{L}\p{N}_./:-])\p{L}{2,}(?![\p{L}\p{N}_/:=-])/gu)) {
    const languages = LISTS.filter(([, words]) => words.has(word)).map(([language]) => language);
    // A word of several languages says less: "in" and "an" are English and German.
    for (const language of languages) weights.set(language, (weights.get(language) ?? 0) + 1 / languages.length);
  }
  const [best] = [...weights].toSorted(([, left], [, right]) => right - left);
  return best !== undefined && best[1] >= LEAST_WEIGHT ? best[0] : "en";
}
