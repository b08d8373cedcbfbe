import type { AllowedServices } from "../access/allowed-services.ts";
import type { SearchRunbooks } from "../answering/search-runbooks.ts";
import type { FocusedQuery } from "../domain.ts";
import type { PartWeights, RankedRunbook } from "../store/passage-store.ts";
import { PART_WEIGHTS } from "../store/rank-candidates.ts";

/** Ranks the runbooks that an asker may see in another way than the product does. */
export type Baseline = (query: FocusedQuery, allowedServices: AllowedServices) => Promise<readonly RankedRunbook[]>;

const NONE: PartWeights = { chunkCosine: 0, summaryCosine: 0, chunkKeywords: 0, runbookKeywords: 0 };
const { chunkCosine, summaryCosine, chunkKeywords, runbookKeywords } = PART_WEIGHTS;
const KEYWORDS: PartWeights = { ...NONE, chunkKeywords, runbookKeywords };
const VECTORS: PartWeights = { ...NONE, chunkCosine, summaryCosine };
/** How far down a list its places still count in a fusion. */
const FUSED = 50;
/** Cormack, Clarke, Büttcher 2009, "Reciprocal Rank Fusion outperforms Condorcet": k = 60. */
const RRF_K = 60;

/** What the ranking is measured against in the same run: each half of it alone, and the usual way to join them. */
export function createBaselines(search: SearchRunbooks): ReadonlyMap<string, Baseline> {
  const rankBy =
    (weights: PartWeights, limit?: number): Baseline =>
    async (query, allowedServices) =>
      (await search(query, allowedServices, { weights, ...(limit === undefined ? {} : { limit }) })).found.runbooks;
  const [byKeywords, byVectors] = [rankBy(KEYWORDS, FUSED), rankBy(VECTORS, FUSED)];
  return new Map<string, Baseline>([
    ["keywords alone", rankBy(KEYWORDS)],
    ["vectors alone", rankBy(VECTORS)],
    [
      "plain RRF",
      async (query, allowed) => fuse(await Promise.all([byKeywords(query, allowed), byVectors(query, allowed)])),
    ],
  ]);
}

/** The product's sum with one part left out: what that part is worth. */
export function createAblations(search: SearchRunbooks): ReadonlyMap<string, Baseline> {
  const names = {
    chunkCosine: "chunk vectors",
    summaryCosine: "runbook vectors",
    chunkKeywords: "chunk keywords",
    runbookKeywords: "runbook keywords",
  };
  return new Map(
    Object.entries(names).map(([part, name]): [string, Baseline] => [
      `without ${name}`,
      async (query, allowed) =>
        (await search(query, allowed, { weights: { ...PART_WEIGHTS, [part]: 0 } })).found.runbooks,
    ]),
  );
}

function fuse(lists: readonly (readonly RankedRunbook[])[]): RankedRunbook[] {
  const scores = new Map<string, { readonly runbook: RankedRunbook; score: number }>();
  for (const list of lists) {
    for (const [place, runbook] of list.entries()) {
      const entry = scores.get(runbook.runbook.sourceId) ?? { runbook, score: 0 };
      entry.score += 1 / (RRF_K + place + 1);
      scores.set(runbook.runbook.sourceId, entry);
    }
  }
  return [...scores.values()].toSorted((left, right) => right.score - left.score).map(({ runbook }) => runbook);
}
