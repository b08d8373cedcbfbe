import { stemmer } from "stemmer";
import { deu, eng, fra, por, spa } from "stopword";

/** Words of chat and of asking, which say nothing of what is asked. */
export const CHAT_FILLER: readonly string[] = (
  "hi hey hello please pls plz thanks thank thx anyone anybody somebody someone something anything help need needs " +
  "want wants know tell show see look looking find get got getting gets go going goes gonna getting just really still " +
  "again now today since ago us we our ours you your yours they them their theirs he him his she her hers it its i im " +
  "ive me my mine dont doesnt didnt cant cannot couldnt wont wouldnt isnt arent wasnt werent hasnt havent thing things " +
  "stuff ok okay yes no not maybe guys folks one ones way ways like even much many lot bit kind sort what whats which " +
  "who whose whom where when why how do does did done doing should would could can may might must shall will is are " +
  "was were be been being have has had having this that these those there here then than so too very also only some " +
  "any all both each few more most other another such up down out in on off over under if or and but because as until " +
  "while of at by for with about against between into through during before after above below to from"
).split(" ");

const CJK = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]/u;
const CJK_RUN = /([\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]+)/u;
const ELIDED = /(?<=^|[^\p{L}])(?:[cdjlmnst]|qu|lorsqu|puisqu|jusqu)['’](?=\p{L})/giu;
/** Longer runs are tokens, hashes or base64, not words; they keep their head so that they can't bloat the index. */
const LONGEST_TERM = 64;

const STOP_WORDS: ReadonlySet<string> = new Set(
  [...eng, ...fra, ...deu, ...spa, ...por, ...CHAT_FILLER].flatMap((word) => splitWords(word)),
);

/**
 * The terms of a text for keyword search, in order, with repeats: lower case, accents folded, English stems, camelCase
 * words whole and in parts, CJK as bigrams.
 */
export function readTerms(text: string): string[] {
  return splitWords(text).map(stem);
}

/** As `readTerms`, without the words that carry no meaning in a question (English, fr, de, es, pt, chat filler). */
export function readQueryTerms(text: string): string[] {
  return splitWords(text)
    .filter((word) => !STOP_WORDS.has(word))
    .map(stem);
}

function stem(word: string): string {
  return /^[a-z]+$/.test(word) ? stemmer(word) : word;
}

function splitWords(text: string): string[] {
  const words: string[] = [];
  const plain = text.normalize("NFKC").replace(ELIDED, "").replace(/['’]/g, "");
  for (const [run] of plain.matchAll(/[\p{L}\p{N}\p{M}]+/gu)) {
    for (const piece of run.split(CJK_RUN)) {
      if (piece === "") continue;
      if (CJK.test(piece)) words.push(...bigrams(piece));
      else words.push(...splitCamelCase(piece));
    }
  }
  return words.map(foldWord).filter((word) => word !== "");
}

/** `KubePodCrashLooping` gives itself and its parts; `etcdNoLeader`, `HTTPServer2xx` likewise. */
function splitCamelCase(word: string): string[] {
  const parts = word.split(/(?<=\p{Ll})(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u);
  return parts.length > 1 ? [word, ...parts] : [word];
}

function foldWord(word: string): string {
  return word.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase().slice(0, LONGEST_TERM);
}

function bigrams(run: string): string[] {
  const letters = Array.from(run);
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, index) => `${letters[index] ?? ""}${letter}`);
}
