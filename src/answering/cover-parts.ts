import type { RankedChunk, RankedRunbook, StoreQuery } from "../store/passage-store.ts";
import { readTerms } from "../store/read-terms.ts";
import type { Judgement } from "./judge-relevance.ts";

/** One part of a question that asks several things, searched for on its own. */
export interface CoveredPart {
  readonly words: string;
  readonly asked: StoreQuery;
  readonly runbooks: readonly RankedRunbook[];
  readonly judgement: Judgement;
}

const MOST_PASSAGES = 4;
/** Share of a part's terms that passages must hold to answer it though its own search found nothing. */
const LEAST_HELD = 0.6;

/**
 * Passages for the parts of a question: those of the whole, and for each part that another runbook answers its best one.
 * Names the parts that nothing answers, as long as something answers the others.
 */
export function coverParts(
  whole: readonly RankedChunk[],
  parts: readonly CoveredPart[],
  isUnseen: (runbook: RankedRunbook) => boolean,
): { readonly chosen: readonly RankedChunk[]; readonly uncovered: readonly string[] } {
  const added: RankedChunk[] = [];
  const uncovered: string[] = [];
  for (const { words, asked, runbooks, judgement } of parts) {
    if (holds([...whole, ...added], asked)) continue;
    const best = runbooks.find(isUnseen);
    if (judgement.relevance !== "answer" || best === undefined) {
      uncovered.push(words);
      continue;
    }
    const known = [...whole, ...added].some(({ chunk }) => chunk.sourceId === best.runbook.sourceId);
    const [passage] = best.chunks;
    if (!known && passage !== undefined) added.push(passage);
  }
  const chosen = [...whole.slice(0, Math.max(1, MOST_PASSAGES - added.length)), ...added].slice(0, MOST_PASSAGES);
  return { chosen, uncovered: chosen.length === 0 || uncovered.length === parts.length ? [] : uncovered };
}

/** Do the passages hold most of what a part asks, whoever found them? */
function holds(passages: readonly RankedChunk[], { terms }: StoreQuery): boolean {
  const held = new Set(passages.flatMap(({ chunk }) => readTerms(`${chunk.title}\n${chunk.text}`)));
  const wanted = [...terms.keys()];
  return wanted.filter((term) => held.has(term)).length >= wanted.length * LEAST_HELD;
}
