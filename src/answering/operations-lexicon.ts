import { readFileSync } from "node:fs";

/** Languages that the lexicon knows, in the order of its columns. */
const LEXICON_LANGUAGES = ["de", "es", "fr", "pt", "zh"] as const;
type LexiconLanguage = (typeof LEXICON_LANGUAGES)[number];

const ROWS = readFileSync(new URL("operations-lexicon.txt", import.meta.url), "utf8")
  .split("\n")
  .filter((row) => row !== "" && !row.startsWith("#"))
  .map((row) => row.split("|").map((cell) => cell.trim()));

/** Stems of one language with all their English glosses, longest first, so that a phrase wins over its words. */
export function readLexicon(language: LexiconLanguage): readonly { readonly stem: string; readonly gloss: string }[] {
  const column = 1 + LEXICON_LANGUAGES.indexOf(language);
  const glosses = new Map<string, string>();
  for (const cells of ROWS) {
    for (const stem of cells[column]?.split(",") ?? []) {
      if (stem !== "") glosses.set(stem, [glosses.get(stem) ?? "", cells[0] ?? ""].join(" ").trim());
    }
  }
  return [...glosses]
    .map(([stem, gloss]) => ({ stem, gloss }))
    .toSorted((left, right) => right.stem.length - left.stem.length);
}
