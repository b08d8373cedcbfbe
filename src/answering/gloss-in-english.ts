import { deu, fra, por, spa } from "stopword";

import type { Language } from "../domain.ts";
import { readLexicon } from "./operations-lexicon.ts";

const FUNCTION_WORDS = { de: deu, es: spa, fr: fra, pt: por } as const;
/** Shorter stems stand for themselves only. */
const SHORTEST_PREFIX = 4;
const LONGEST_INFLECTION = 8;
/** German writes compounds as one word: the stem may stand anywhere in it. */
const SHORTEST_COMPOUND_PART = 5;

/**
 * The English words for what a question says, in its order, for a search that reads English. Words that the lexicon does
 * not know stay as they are: names, codes, loans. Null for English.
 */
export function glossInEnglish(text: string, language: Language): string | null {
  if (language === "en") return null;
  return language === "zh" ? glossChinese(text) : glossWords(text, language);
}

function glossWords(text: string, language: keyof typeof FUNCTION_WORDS): string {
  const lexicon = readLexicon(language);
  const phrases = lexicon.filter(({ stem }) => /[^a-z]/.test(stem));
  const stems = lexicon.filter(({ stem }) => !/[^a-z]/.test(stem));
  const functionWords = new Set(FUNCTION_WORDS[language].map(fold));
  const glosses: string[] = [];
  let rest = fold(text);
  for (const { stem, gloss } of phrases) {
    if (!rest.includes(stem)) continue;
    rest = rest.replaceAll(stem, " ");
    glosses.push(gloss);
  }
  for (const word of rest.match(/[\p{L}\p{N}][\p{L}\p{N}._:/-]*/gu) ?? []) {
    const found = stems.filter(({ stem }) => isInflection(word, stem));
    const parts =
      language === "de" && found.length === 0
        ? stems.filter(({ stem }) => stem.length >= SHORTEST_COMPOUND_PART && word.includes(stem))
        : found.slice(0, 1);
    if (parts.length > 0) glosses.push(...parts.map(({ gloss }) => gloss));
    else if (!functionWords.has(word)) glosses.push(word);
  }
  return [...new Set(glosses)].join(" ");
}

function isInflection(word: string, stem: string): boolean {
  if (word === stem) return true;
  return stem.length >= SHORTEST_PREFIX && word.startsWith(stem) && word.length - stem.length <= LONGEST_INFLECTION;
}

/** Longest match from left to right; what is not Chinese stays. */
function glossChinese(text: string): string {
  const lexicon = readLexicon("zh");
  const glosses: string[] = [];
  let at = 0;
  while (at < text.length) {
    const latin = /^[\p{Script=Latin}\p{N}][\p{Script=Latin}\p{N}._:/-]*/u.exec(text.slice(at))?.[0];
    const found = lexicon.find(({ stem }) => text.startsWith(stem, at));
    if (latin !== undefined) glosses.push(latin);
    else if (found !== undefined) glosses.push(found.gloss);
    at += latin?.length ?? found?.stem.length ?? 1;
  }
  return [...new Set(glosses)].join(" ");
}

function fold(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replaceAll("ß", "ss")
    .replaceAll("œ", "oe")
    .replaceAll("æ", "ae");
}
