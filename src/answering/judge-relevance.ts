import type { FocusedQuery } from "../domain.ts";
import type { RankedRunbook, SearchResult, StoreQuery } from "../store/passage-store.ts";
import { readTerms } from "../store/read-terms.ts";
import { findIdentifiers } from "./find-evidence.ts";

/** `answer`: passages are shown. `doubtful`: links only, said to be doubtful. `nothing`: nothing is shown. */
export type Relevance = "answer" | "doubtful" | "nothing";

/**
 * Weights of a logistic regression over labelled questions, each collection judged by a rule that was fitted on the others
 * (README, "Decisions"): near in meaning, near as a whole, the share of the question's rare words that the runbook holds,
 * and an alert name or error code of the question that stands in it.
 */
const WEIGHTS = { chunkCosine: 5.6, summaryCosine: 2.6, coverage: 1.1, namesIdentifier: 3.5 };
const ANSWER_EVIDENCE = 3.5;
const DOUBTFUL_EVIDENCE = 2.5;

/** Is what came back about the question? The nearest text is always near to something. */
export function judgeRelevance(query: FocusedQuery, storeQuery: StoreQuery, found: SearchResult): Relevance {
  const [top] = found.runbooks;
  if (top === undefined) return "nothing";
  const evidence =
    WEIGHTS.chunkCosine * top.parts.chunkCosine +
    WEIGHTS.summaryCosine * top.parts.summaryCosine +
    WEIGHTS.coverage * coverage(storeQuery, found, top) +
    (namesIdentifier(query, top) ? WEIGHTS.namesIdentifier : 0);
  if (evidence >= ANSWER_EVIDENCE) return "answer";
  return evidence >= DOUBTFUL_EVIDENCE ? "doubtful" : "nothing";
}

/** Share of the query's terms that the runbook holds, each weighted by its rarity: 0 to 1. */
function coverage({ terms }: StoreQuery, { termIdf }: SearchResult, { chunks }: RankedRunbook): number {
  const held = new Set(chunks.flatMap(({ matchedTerms }) => [...matchedTerms.keys()]));
  let all = 0;
  let covered = 0;
  for (const [term, weight] of terms) {
    const value = weight * (termIdf.get(term) ?? 0);
    all += value;
    if (held.has(term)) covered += value;
  }
  return all === 0 ? 0 : covered / all;
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
