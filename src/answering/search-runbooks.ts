import type { AllowedServices } from "../access/allowed-services.ts";
import type { FocusedQuery } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import type { EmbeddingModel } from "../models/embedding-model.ts";
import type { PartWeights, PassageStore, RankedRunbook, SearchResult, StoreQuery } from "../store/passage-store.ts";
import { PART_WEIGHTS } from "../store/rank-candidates.ts";
import { readQueryTerms } from "../store/read-terms.ts";
import { createCosineScale } from "./cosine-scale.ts";

/** What was asked of the store, and what it found. */
export interface Search {
  readonly storeQuery: StoreQuery;
  readonly found: SearchResult;
  /** The embedding model did not answer: the words alone were searched for. */
  readonly byWordsAlone: boolean;
}

/** `weights` and `limit` are the evaluation's, which ranks by single parts and looks further down. */
export type SearchRunbooks = (
  query: FocusedQuery,
  allowedServices: AllowedServices,
  options?: { readonly weights?: PartWeights; readonly limit?: number },
) => Promise<Search>;

export const RUNBOOKS_RANKED = 10;
/** A term counts at most this often in a query: a pasted log repeats itself. */
const MOST_REPEATS = 2;
const EARLIER_TURN_WEIGHT = 0.6;
/** A follow-up is mostly about what is new in it. */
const FOLLOW_UP_WEIGHT = 1.5;
const GLOSSARY_WEIGHT = 0.5;
/** Pasted texts hold hundreds of terms; the first ones say what it is about. */
const MOST_TERMS = 120;

/**
 * The hybrid search, proved after the store's filter. Where the model reads English only, a question in another language is
 * asked twice, as it stands and in English: the runbooks may be in either.
 */
export function createSearchRunbooks({
  store,
  embeddingModel,
  glossary,
}: {
  readonly store: PassageStore;
  readonly embeddingModel: EmbeddingModel;
  readonly glossary: () => ReadonlyMap<string, readonly string[]>;
}): SearchRunbooks {
  return async (query, allowedServices, { weights = PART_WEIGHTS, limit = RUNBOOKS_RANKED } = {}) => {
    const scaling = createCosineScale(embeddingModel.levels);
    const readsEnglishOnly = embeddingModel.info.provider === "local";
    const asked = [
      query,
      ...(query.inEnglish === null || !readsEnglishOnly ? [] : [{ ...query, words: query.inEnglish, earlier: [] }]),
    ];
    const searches = await Promise.all(
      asked.map(async (each) => {
        const embedding = await embedQuestion(each, embeddingModel).catch((error: unknown) => {
          if (error instanceof PipelineError && error.kind === "dependency") return null;
          throw error;
        });
        // A vector that is near to nothing leaves the words to decide.
        const built = {
          embedding: embedding ?? new Float32Array(embeddingModel.info.dimensions),
          terms: readStoreTerms(each, glossary()),
        };
        const storeQuery = { ...built, weights: scaling.weights(weights) };
        const raw = await store.search(storeQuery, allowedServices, limit);
        assertAllowed(raw.runbooks, allowedServices);
        const found = { ...raw, runbooks: raw.runbooks.map((ranked) => scaling.calibrate(ranked, weights)) };
        return { storeQuery, found, byWordsAlone: embedding === null };
      }),
    );
    return mergeSearches(searches, limit);
  };
}

/**
 * The proof after the store's filter: one foreign passage means that nothing of this search can be trusted.
 * @throws PipelineError `permission`, with an alarm for the log.
 */
export function assertAllowed(found: readonly RankedRunbook[], allowedServices: AllowedServices): void {
  for (const { runbook, chunks } of found) {
    for (const { service, sourceId } of [runbook, ...chunks.map(({ chunk }) => chunk)]) {
      if (allowedServices.has(service)) continue;
      throw new PipelineError("permission", "the store returned a passage outside the allowed services", {
        context: { alarm: "permission_leak", sourceId, service },
      });
    }
  }
}

async function embedQuestion(query: FocusedQuery, embeddingModel: EmbeddingModel): Promise<Float32Array> {
  return query.earlier.length > 0 ? embedFollowUp(query, embeddingModel) : embeddingModel.embedQuery(query.words);
}

function readStoreTerms(
  query: FocusedQuery,
  glossary: ReadonlyMap<string, readonly string[]>,
): ReadonlyMap<string, number> {
  const terms = new Map<string, number>();
  const add = (text: string, weight: number, most: number) => {
    for (const term of readQueryTerms(text)) {
      if (!terms.has(term) && terms.size >= MOST_TERMS) return;
      terms.set(term, Math.min((terms.get(term) ?? 0) + weight, most));
    }
  };
  add(query.words, query.earlier.length > 0 ? FOLLOW_UP_WEIGHT : 1, MOST_REPEATS);
  for (const turn of query.earlier) add(turn, EARLIER_TURN_WEIGHT, MOST_REPEATS);
  const said = new Set(terms.keys());
  for (const [word, meanings] of glossary) {
    const wanted = readQueryTerms(word);
    if (wanted.length > 0 && wanted.every((term) => said.has(term))) add(meanings.join(" "), GLOSSARY_WEIGHT, 1);
  }
  return terms;
}

/** Between what all turns say together and what the last one says: the subject of the first, the point of the second. */
async function embedFollowUp({ earlier, words }: FocusedQuery, embeddingModel: EmbeddingModel): Promise<Float32Array> {
  const [all, own] = await Promise.all([
    embeddingModel.embedQuery([...earlier, words].join("\n")),
    embeddingModel.embedQuery(words),
  ]);
  const sum = all.map((value, index) => value + (own[index] ?? 0));
  const length = Math.hypot(...sum);
  return length === 0 ? all : sum.map((value) => value / length);
}

/** Each runbook as the search sees it that finds it the better one; what is said of the query is that of the best search. */
function mergeSearches(searches: readonly Search[], limit: number): Search {
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
    ...best,
    found: { ...best.found, termIdf, runbooks: runbooks.slice(0, limit) },
  };
}

function topScore({ found }: Search): number {
  return found.runbooks[0]?.score ?? 0;
}
