import { readSteps } from "../markdown/read-steps.ts";
import type { FocusedQuery } from "../domain.ts";
import type { RankedChunk, RankedRunbook, SearchResult } from "../store/passage-store.ts";
import { readQueryTerms, readTerms } from "../store/read-terms.ts";

const MOST_PASSAGES = 4;
/** A runbook that scores less than this share of the best one answers something else. */
export const LEAST_RUNBOOK_SHARE = 0.8;
/** Within such a runbook, a passage that scores less than this share of the best one. */
const LEAST_PASSAGE_SHARE = 0.6;
/** People ask what to do: steps go before prose, in the best runbook by far, elsewhere where the scores are alike. */
const STEPS_BONUS = { bestRunbook: 0.6, others: 0.1 };
/** Sections that say what to look at first; where the question names no other, they are meant. */
const CHECKS_HEADING = /\b(?:first|checks?|diagnos\w+|triage|investigat\w+|troubleshoot\w*|verif\w+)\b/iu;
const CHECKS_BONUS = 0.2;
/** A follow-up's own words choose the section; the turns before it have chosen the runbook. */
const FOLLOW_UP_BONUS = 0.5;
const FOLLOW_UP_HEADING_BONUS = 0.8;

/**
 * At most four passages of the candidates that belong together: those that come near the best of all that was found, no
 * two saying the same. With `each`, every candidate was asked for by name, and each has its best passage first.
 */
export function choosePassages(
  query: FocusedQuery,
  found: SearchResult,
  candidates: readonly RankedRunbook[],
  { each = false }: { readonly each?: boolean } = {},
): RankedChunk[] {
  const ownTerms = new Set(query.earlier.length > 0 ? readQueryTerms(query.words) : []);
  const bestRunbook = found.runbooks[0]?.score ?? 0;
  const best = Math.max(0, ...found.runbooks.flatMap(({ chunks }) => chunks.map(({ score }) => score)));
  const ranked = candidates
    .filter(({ score }) => each || score >= bestRunbook * LEAST_RUNBOOK_SHARE)
    .flatMap(({ chunks }) => chunks)
    .map((candidate) => {
      const isBest = candidate.chunk.sourceId === candidates[0]?.runbook.sourceId && ownTerms.size === 0;
      const bonus = isBest ? STEPS_BONUS.bestRunbook : STEPS_BONUS.others;
      const isChecks = CHECKS_HEADING.test(candidate.chunk.headingTrail.at(-1) ?? "");
      const steps = hasSteps(candidate) ? bonus + (isChecks ? CHECKS_BONUS : 0) : 0;
      const headings = new Set(readTerms(candidate.chunk.headingTrail.join("\n")));
      const followUp =
        FOLLOW_UP_BONUS * coverage(ownTerms, candidate.matchedTerms, found.termIdf) +
        FOLLOW_UP_HEADING_BONUS * coverage(ownTerms, headings, found.termIdf);
      return { candidate, value: candidate.score + steps + followUp };
    })
    .toSorted((left, right) => right.value - left.value);
  const firsts = each
    ? candidates.flatMap(
        ({ runbook }) => ranked.find(({ candidate }) => candidate.chunk.sourceId === runbook.sourceId) ?? [],
      )
    : [];
  const chosen: RankedChunk[] = [];
  for (const { candidate, value } of new Set([...firsts, ...ranked])) {
    if (chosen.length === MOST_PASSAGES) break;
    if (!each && candidate.score < best * LEAST_PASSAGE_SHARE) continue;
    // The same text under two services appears once, from the service asked about.
    const twin = chosen.findIndex(({ chunk }) => saysTheSame(chunk.text, candidate.chunk.text));
    if (twin < 0) chosen.push({ ...candidate, score: value });
    else if (candidate.chunk.service === query.service && chosen[twin]?.chunk.service !== query.service) {
      chosen[twin] = { ...candidate, score: chosen[twin]?.score ?? value };
    }
  }
  return chosen;
}

const SAME_TEXT = 0.9;

/** Almost the same words: a copy with another name in it says nothing new. */
function saysTheSame(left: string, right: string): boolean {
  if (left === right) return true;
  const [one, other] = [new Set(readTerms(left)), new Set(readTerms(right))];
  return one.intersection(other).size >= SAME_TEXT * one.union(other).size;
}

/** Share of some terms that are held, each weighted by its rarity; 0 without terms. */
function coverage(
  terms: ReadonlySet<string>,
  held: { has(term: string): boolean },
  termIdf: ReadonlyMap<string, number>,
): number {
  let all = 0;
  let covered = 0;
  for (const term of terms) {
    const idf = termIdf.get(term) ?? 0;
    all += idf;
    if (held.has(term)) covered += idf;
  }
  return all === 0 ? 0 : covered / all;
}

function hasSteps({ chunk }: RankedChunk): boolean {
  return readSteps(chunk.text)[0]?.kind === "step";
}
