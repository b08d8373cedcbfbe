import { readSteps } from "../markdown/read-steps.ts";
import type { RankedChunk, SearchResult } from "../store/passage-store.ts";

const MOST_PASSAGES = 4;
/** A passage that scores less than this share of the best one answers something else. */
const LEAST_SHARE = 0.75;
/** People ask what to do: of two passages about as near, the one with steps goes first. */
const STEPS_BONUS = 0.08;

/** At most four passages that belong together: the best ones, no two saying the same. */
export function choosePassages(found: SearchResult): RankedChunk[] {
  const ranked = found.runbooks
    .flatMap(({ chunks }) => chunks)
    .map((candidate) => ({ candidate, value: candidate.score + (hasSteps(candidate) ? STEPS_BONUS : 0) }))
    .toSorted((left, right) => right.value - left.value);
  const least = (ranked[0]?.value ?? 0) * LEAST_SHARE;
  const chosen: RankedChunk[] = [];
  for (const { candidate, value } of ranked) {
    if (chosen.length === MOST_PASSAGES || value < least) break;
    if (!chosen.some(({ chunk }) => chunk.text === candidate.chunk.text)) chosen.push(candidate);
  }
  return chosen;
}

function hasSteps({ chunk }: RankedChunk): boolean {
  return readSteps(chunk.text)[0]?.kind === "step";
}
