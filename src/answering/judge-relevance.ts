import type { FocusedQuery } from "../domain.ts";
import type { RankedRunbook, SearchResult, StoreQuery } from "../store/passage-store.ts";
import { readTerms } from "../store/read-terms.ts";
import { findIdentifiers } from "./find-evidence.ts";
import { holdsNearCodeOnly } from "./near-codes.ts";
import type { Search } from "./search-runbooks.ts";

/** `answer`: passages are shown. `doubtful`: links only, said to be doubtful. `nothing`: nothing is shown. */
export type Relevance = "answer" | "doubtful" | "nothing";

/** What speaks for the first runbook being about the question; each from 0 to 1. */
export interface Evidence {
  readonly chunkCosine: number;
  readonly summaryCosine: number;
  /** Share of the question's rare words, those of the title and the service aside, that stand in the text. */
  readonly coverage: number;
  /** 1 when an alert name or error code of the question stands in it. */
  readonly namesIdentifier: number;
}

/**
 * Weights of a logistic regression over labelled questions, each collection judged by a rule that was fitted on the others
 * (README, "Decisions"). Words of the title and the service don't count as covered: a runbook of the right product that
 * says nothing of the problem holds just these.
 */
const WEIGHTS: Readonly<Record<keyof Evidence, number>> = {
  chunkCosine: 4.3,
  summaryCosine: 3.5,
  coverage: 2.65,
  namesIdentifier: 1.9,
};
export const ANSWER_EVIDENCE = 3.9;
export const DOUBTFUL_EVIDENCE = 2.9;

const COVERED_BY_WORDS = 0.5;

export interface Judgement {
  readonly relevance: Relevance;
  /** Null when nothing was found at all. */
  readonly evidence: Evidence | null;
  readonly sum: number;
}

/** Is what came back about the question? The nearest text is always near to something. */
export function judgeRelevance(query: FocusedQuery, { storeQuery, found, byWordsAlone }: Search): Judgement {
  const [top] = found.runbooks;
  if (top === undefined) return { relevance: "nothing", evidence: null, sum: 0 };
  const evidence = weighEvidence(query, storeQuery, found, top);
  const sum =
    WEIGHTS.chunkCosine * evidence.chunkCosine +
    WEIGHTS.summaryCosine * evidence.summaryCosine +
    WEIGHTS.coverage * evidence.coverage +
    WEIGHTS.namesIdentifier * evidence.namesIdentifier;
  if (byWordsAlone) return { relevance: judgeByWords(evidence), evidence, sum };
  if (sum < DOUBTFUL_EVIDENCE) return { relevance: "nothing", evidence, sum };
  const asked = [query.words, ...query.earlier].join("\n");
  const isNearCode = holdsNearCodeOnly(
    asked,
    [top.runbook.title, ...top.chunks.map(({ chunk }) => chunk.text)].join("\n"),
  );
  return { relevance: sum >= ANSWER_EVIDENCE && !isNearCode ? "answer" : "doubtful", evidence, sum };
}

/** Without vectors only a name or a code is sure enough to answer; many of the words are worth a link. */
function judgeByWords({ namesIdentifier, coverage: covered }: Evidence): Relevance {
  if (namesIdentifier > 0) return "answer";
  return covered >= COVERED_BY_WORDS ? "doubtful" : "nothing";
}

function weighEvidence(query: FocusedQuery, storeQuery: StoreQuery, found: SearchResult, top: RankedRunbook): Evidence {
  return {
    chunkCosine: top.parts.chunkCosine,
    summaryCosine: top.parts.summaryCosine,
    coverage: coverage(storeQuery, found, top),
    namesIdentifier: namesIdentifier(query, top) ? 1 : 0,
  };
}

/** Each term weighted by its rarity; 1 when title and service hold them all. */
function coverage({ terms }: StoreQuery, { termIdf }: SearchResult, { runbook, chunks }: RankedRunbook): number {
  const named = new Set(readTerms([runbook.title, runbook.path, runbook.service].join("\n")));
  const held = new Set(chunks.flatMap(({ chunk }) => readTerms(chunk.text)));
  let all = 0;
  let covered = 0;
  for (const [term, weight] of terms) {
    if (named.has(term)) continue;
    const value = weight * (termIdf.get(term) ?? 0);
    all += value;
    if (held.has(term)) covered += value;
  }
  return all === 0 ? 1 : covered / all;
}

function namesIdentifier(query: FocusedQuery, { runbook, chunks }: RankedRunbook): boolean {
  const identifiers = findIdentifiers([query.words, ...query.earlier].join("\n"));
  if (identifiers.length === 0) return false;
  const texts = [`${runbook.title} ${runbook.path}`, ...chunks.map(({ chunk }) => chunk.text)];
  return texts.some((text) => {
    const terms = new Set(readTerms(text));
    return identifiers.some((identifier) => readTerms(identifier).every((term) => terms.has(term)));
  });
}
