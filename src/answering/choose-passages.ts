import type { FocusedQuery } from "../domain.ts";
import type { RankedChunk, SearchResult } from "../store/passage-store.ts";

const MOST_PASSAGES = 4;
/** A passage that scores less than this share of the best one answers something else. */
const LEAST_SHARE = 0.8;
const MOST_PER_RUNBOOK = 3;

/** At most four passages that belong together: the best ones, no two saying the same. */
export function choosePassages(_query: FocusedQuery, found: SearchResult): RankedChunk[] {
  const ranked = found.runbooks.flatMap(({ chunks }) => chunks).toSorted((left, right) => right.score - left.score);
  const best = ranked[0]?.score ?? 0;
  const chosen: RankedChunk[] = [];
  for (const candidate of ranked) {
    if (chosen.length === MOST_PASSAGES || candidate.score < best * LEAST_SHARE) break;
    const siblings = chosen.filter(({ chunk }) => chunk.sourceId === candidate.chunk.sourceId);
    const repeats = chosen.some(({ chunk }) => chunk.text === candidate.chunk.text);
    if (siblings.length < MOST_PER_RUNBOOK && !repeats) chosen.push(candidate);
  }
  return chosen;
}
