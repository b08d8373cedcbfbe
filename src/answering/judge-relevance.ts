import type { FocusedQuery } from "../domain.ts";
import type { SearchResult, StoreQuery } from "../store/passage-store.ts";
import { readTerms } from "../store/read-terms.ts";
import { findIdentifiers } from "./find-evidence.ts";

/** `answer`: passages are shown. `doubtful`: links only, said to be doubtful. `nothing`: nothing is shown. */
export type Relevance = "answer" | "doubtful" | "nothing";

// Mean cosine of the top runbook's best chunk and its summary (README, "Decisions", says how they were chosen).
const ANSWER_COSINE = 0.445;
const DOUBTFUL_COSINE = 0.36;

/** Is what came back about the question? The nearest text is always near to something. */
export function judgeRelevance(query: FocusedQuery, storeQuery: StoreQuery, found: SearchResult): Relevance {
  const [top] = found.runbooks;
  if (top === undefined) return "nothing";
  if (namesRunbook(query, top.runbook)) return "answer";
  const cosine = (top.parts.chunkCosine + top.parts.summaryCosine) / 2;
  if (cosine >= ANSWER_COSINE) return "answer";
  return cosine >= DOUBTFUL_COSINE ? "doubtful" : "nothing";
}

/** An alert name or error code of the question that stands whole in the runbook's title or file name. */
function namesRunbook(query: FocusedQuery, runbook: { readonly title: string; readonly path: string }): boolean {
  const names = readTerms(`${runbook.title} ${runbook.path}`);
  return findIdentifiers([query.words, ...query.earlier].join("\n")).some((identifier) => {
    const [whole] = readTerms(identifier);
    return whole !== undefined && names.includes(whole);
  });
}
