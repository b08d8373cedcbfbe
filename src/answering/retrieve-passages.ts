import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { AllowedServices } from "../access/allowed-services.ts";
import type { FocusedQuery, Passage } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import { assertIndexFits } from "../models/assert-index-fits.ts";
import type { EmbeddingModel } from "../models/embedding-model.ts";
import type { PassageStore, RankedRunbook, SearchResult, StoreQuery } from "../store/passage-store.ts";
import { readQueryTerms } from "../store/read-terms.ts";
import { choosePassages } from "./choose-passages.ts";
import { findSecrets } from "./mask-secrets.ts";
import { judgeRelevance, type Relevance } from "./judge-relevance.ts";

/** What a search found for one set of readers. */
export interface Retrieval {
  readonly relevance: Relevance;
  /** Best first, at most 4; empty unless the relevance is `answer`. */
  readonly passages: readonly Passage[];
  /** Best first, at most 10: what `evaluate` ranks. */
  readonly runbooks: readonly RankedRunbook[];
  /** The commit whose texts were searched. */
  readonly commit: string | null;
  /** Null: nothing was searched. */
  readonly indexVersion: string | null;
}

/** `shownAlready`: services whose passages these readers have before them; they are searched, and left out. */
export type Retrieve = (
  query: FocusedQuery,
  allowedServices: AllowedServices,
  shownAlready?: AllowedServices | null,
) => Promise<Retrieval>;

const RUNBOOKS_RANKED = 10;
/** A term counts at most this often in a query: a pasted log repeats itself. */
const MOST_REPEATS = 2;
const EARLIER_TURN_WEIGHT = 0.6;
const GLOSSARY_WEIGHT = 0.5;
/** Pasted texts hold hundreds of terms; the first ones say what it is about. */
const MOST_TERMS = 120;

const StoredPassage = z.object({
  sourceId: z.string().min(1),
  title: z.string().min(1),
  service: z.string().min(1),
  path: z.string().min(1),
  headingTrail: z.array(z.string()),
  startIndex: z.int().min(0),
  startLine: z.int().min(1),
  text: z.string().min(1),
});

/**
 * One search, among the allowed services only: the filter runs inside the store, and what comes back is proved again.
 * With no allowed service nothing is asked of the store or the model.
 * @throws PipelineError `permission` when the store gave what the readers may not see: nothing is answered then.
 */
export function createRetriever({
  store,
  embeddingModel,
  policy,
}: {
  readonly store: PassageStore;
  readonly embeddingModel: EmbeddingModel;
  readonly policy: () => Pick<AccessPolicy, "glossary">;
}): Retrieve {
  return async (query, allowedServices, shownAlready = null) => {
    if (allowedServices.size === 0) {
      return { relevance: "nothing", passages: [], runbooks: [], commit: null, indexVersion: null };
    }
    const index = await store.currentIndex();
    assertIndexFits(index, embeddingModel.info);
    // A question in another language is asked twice, as it stands and in English: the runbooks may be in either.
    const asked = [query, ...(query.inEnglish === null ? [] : [{ ...query, words: query.inEnglish, earlier: [] }])];
    const searches = await Promise.all(
      asked.map(async (each) => {
        const storeQuery = await buildStoreQuery(each, embeddingModel, policy().glossary);
        const found = await store.search(storeQuery, allowedServices, RUNBOOKS_RANKED);
        assertAllowed(found, allowedServices);
        return { storeQuery, found };
      }),
    );
    const { storeQuery, found } = mergeSearches(searches);

    // What these readers have before them is ranked with the rest, and then left out: the rest must earn its place.
    const unseen = found.runbooks.filter(({ runbook }) => shownAlready?.has(runbook.service) !== true);
    const { relevance } = judgeRelevance(query, storeQuery, { ...found, runbooks: unseen });
    const chosen = relevance === "answer" ? choosePassages(query, found, unseen) : [];
    const passages = await Promise.all(chosen.map((chunk) => toPassage(chunk, index.commit)));
    return { relevance, passages, runbooks: found.runbooks, commit: index.commit, indexVersion: found.indexVersion };
  };
}

async function buildStoreQuery(
  query: FocusedQuery,
  embeddingModel: EmbeddingModel,
  glossary: ReadonlyMap<string, readonly string[]>,
): Promise<StoreQuery> {
  const embedding = await embeddingModel.embedQuery([...query.earlier, query.words].join("\n"));
  const terms = new Map<string, number>();
  const add = (text: string, weight: number, most: number) => {
    for (const term of readQueryTerms(text)) {
      if (!terms.has(term) && terms.size >= MOST_TERMS) return;
      terms.set(term, Math.min((terms.get(term) ?? 0) + weight, most));
    }
  };
  add(query.words, 1, MOST_REPEATS);
  for (const turn of query.earlier) add(turn, EARLIER_TURN_WEIGHT, MOST_REPEATS);
  const said = new Set(terms.keys());
  for (const [word, meanings] of glossary) {
    const wanted = readQueryTerms(word);
    if (wanted.length > 0 && wanted.every((term) => said.has(term))) add(meanings.join(" "), GLOSSARY_WEIGHT, 1);
  }
  return { embedding, terms };
}

interface Search {
  readonly storeQuery: StoreQuery;
  readonly found: SearchResult;
}

/** Each runbook as the search sees it that finds it the better one; what is said of the query is that of the best search. */
function mergeSearches(searches: readonly Search[]): Search {
  const best = searches.toSorted((left, right) => topScore(right) - topScore(left))[0] as Search;
  if (searches.length === 1) return best;
  const bySource = new Map<string, RankedRunbook>();
  for (const ranked of searches.flatMap(({ found }) => found.runbooks)) {
    const other = bySource.get(ranked.runbook.sourceId);
    if (other === undefined || ranked.score > other.score) bySource.set(ranked.runbook.sourceId, ranked);
  }
  const runbooks = [...bySource.values()].toSorted((left, right) => right.score - left.score);
  const termIdf = new Map(searches.flatMap(({ found }) => [...found.termIdf]));
  return {
    storeQuery: best.storeQuery,
    found: { ...best.found, termIdf, runbooks: runbooks.slice(0, RUNBOOKS_RANKED) },
  };
}

function topScore({ found }: Search): number {
  return found.runbooks[0]?.score ?? 0;
}

/** The proof after the store's filter: one foreign passage means that nothing of this search can be trusted. */
function assertAllowed(found: SearchResult, allowedServices: AllowedServices): void {
  for (const { runbook, chunks } of found.runbooks) {
    for (const { service, sourceId } of [runbook, ...chunks.map(({ chunk }) => chunk)]) {
      if (allowedServices.has(service)) continue;
      throw new PipelineError("permission", "the store returned a passage outside the allowed services", {
        context: { alarm: "permission_leak", sourceId, service },
      });
    }
  }
}

async function toPassage(
  { chunk, score }: { readonly chunk: unknown; readonly score: number },
  commit: string | null,
): Promise<Passage> {
  const parsed = StoredPassage.safeParse(chunk);
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join("."));
    throw new PipelineError("dependency", `the store returned an unusable passage (${fields.join(", ")})`);
  }
  return { ...parsed.data, score, commit, secrets: await findSecrets(parsed.data.text) } as unknown as Passage;
}
