import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { AllowedServices } from "../access/allowed-services.ts";
import type { FocusedQuery, Passage } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import { assertIndexFits } from "../models/assert-index-fits.ts";
import type { EmbeddingModel } from "../models/embedding-model.ts";
import type { PassageStore, RankedChunk, RankedRunbook, SearchResult } from "../store/passage-store.ts";
import { choosePassages } from "./choose-passages.ts";
import { coverParts, type CoveredPart } from "./cover-parts.ts";
import { followLinks, saysItsName, type Road } from "./exact-roads.ts";
import { findTwinServices } from "./find-twins.ts";
import { joinProcedure } from "./join-procedure.ts";
import { judgeRelevance, type Judgement, type Relevance } from "./judge-relevance.ts";
import { findSecrets } from "./mask-secrets.ts";
import { assertAllowed, createSearchRunbooks, RUNBOOKS_RANKED } from "./search-runbooks.ts";
import { splitQuestion } from "./split-question.ts";

/** What a search found for one set of readers. */
export interface Retrieval {
  readonly relevance: Relevance;
  readonly road: Road;
  /** How the first runbook was judged. */
  readonly judgement: Judgement;
  /** Parts of the question that no runbook answers, where others are. */
  readonly uncovered: readonly string[];
  /** Services that the question fits equally; empty when it need not be asked back. */
  readonly twins: readonly string[];
  /** The embedding model did not answer: the words alone were searched for. */
  readonly byWordsAlone: boolean;
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
  const searchRunbooks = createSearchRunbooks({ store, embeddingModel, glossary: () => policy().glossary });

  return async (query, allowedServices, shownAlready = null) => {
    if (allowedServices.size === 0) return NOTHING;
    const index = await store.currentIndex();
    assertIndexFits(index, embeddingModel.info);
    const [searched, linked, parts] = await Promise.all([
      searchRunbooks(query, allowedServices),
      followLinks(query.links, store, allowedServices),
      Promise.all(
        splitQuestion(query.words).map(async (words): Promise<CoveredPart> => {
          const part = { ...query, words, inEnglish: null, links: [] };
          const search = await searchRunbooks(part, allowedServices);
          const { storeQuery: asked, found: foundForPart } = search;
          return { words, asked, runbooks: foundForPart.runbooks, judgement: judgeRelevance(part, search) };
        }),
      ),
    ]);
    const { found } = searched;
    // Another index was published while the question was embedded: it may be another model's.
    if (found.indexVersion !== index.version) assertIndexFits(await store.currentIndex(), embeddingModel.info);
    assertAllowed(linked, allowedServices);
    const { road, exact, runbooks } = rankByRoad(query, found, linked);

    // What these readers have before them is ranked with the rest, and then left out: the rest must earn its place.
    const isUnseen = ({ runbook }: RankedRunbook) => shownAlready?.has(runbook.service) !== true;
    const judgement = judgeRelevance(query, { ...searched, found: { ...found, runbooks: runbooks.filter(isUnseen) } });
    const isExact = road !== "search" && exact.some(isUnseen);
    const asWhole: Relevance = isExact ? "answer" : judgement.relevance;
    const ranked = isExact ? exact : runbooks;
    const whole =
      asWhole === "answer"
        ? choosePassages(query, { ...found, runbooks: ranked }, ranked.filter(isUnseen), { each: isExact })
        : [];
    const covered = coverParts(whole, parts, isUnseen);
    const chosen = await joinProcedure(covered.chosen, store, allowedServices);
    return {
      relevance: chosen.length > 0 ? "answer" : asWhole,
      road,
      judgement,
      uncovered: covered.uncovered,
      twins: isExact || shownAlready !== null || asWhole !== "answer" ? [] : findTwinServices(query, runbooks),
      byWordsAlone: searched.byWordsAlone,
      passages: await Promise.all(chosen.map((chunk) => toPassage(chunk, index.commit))),
      runbooks: runbooks.slice(0, RUNBOOKS_RANKED),
      commit: index.commit,
      indexVersion: found.indexVersion,
    };
  };
}

const NOTHING: Retrieval = {
  relevance: "nothing",
  road: "search",
  judgement: { relevance: "nothing", evidence: null, sum: 0 },
  uncovered: [],
  twins: [],
  byWordsAlone: false,
  passages: [],
  runbooks: [],
  commit: null,
  indexVersion: null,
};

/** Exact roads first: what a link leads to, then what is called by its name; the others in the order of the search. */
function rankByRoad(
  query: FocusedQuery,
  found: SearchResult,
  linked: readonly RankedRunbook[],
): { readonly road: Road; readonly exact: readonly RankedRunbook[]; readonly runbooks: readonly RankedRunbook[] } {
  const bySource = new Map(found.runbooks.map((ranked) => [ranked.runbook.sourceId, ranked]));
  const byLink = linked.map((ranked) => bySource.get(ranked.runbook.sourceId) ?? ranked);
  const exact = byLink.length > 0 ? byLink : found.runbooks.filter((ranked) => saysItsName(query, ranked));
  const road = byLink.length > 0 ? "link" : exact.length > 0 ? "name" : "search";
  const first = new Set(exact.map(({ runbook }) => runbook.sourceId));
  return { road, exact, runbooks: [...exact, ...found.runbooks.filter(({ runbook }) => !first.has(runbook.sourceId))] };
}

async function toPassage(
  { chunk, score }: Pick<RankedChunk, "score"> & { readonly chunk: unknown },
  commit: string | null,
): Promise<Passage> {
  const parsed = StoredPassage.safeParse(chunk);
  if (!parsed.success) {
    const fields = parsed.error.issues.map((issue) => issue.path.join("."));
    throw new PipelineError("dependency", `the store returned an unusable passage (${fields.join(", ")})`);
  }
  return { ...parsed.data, score, commit, secrets: await findSecrets(parsed.data.text) } as unknown as Passage;
}
