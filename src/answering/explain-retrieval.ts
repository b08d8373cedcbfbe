import type { AllowedServices } from "../access/allowed-services.ts";
import type { FocusedQuery } from "../domain.ts";
import { LEAST_RUNBOOK_SHARE } from "./choose-passages.ts";
import type { Road } from "./exact-roads.ts";
import { ANSWER_EVIDENCE, DOUBTFUL_EVIDENCE, type Judgement, type Relevance } from "./judge-relevance.ts";
import type { Retrieval } from "./retrieve-passages.ts";

/** Why a search gave what it gave, for whoever tunes runbooks or doubts an answer. Holds nothing of other services. */
export interface RetrievalExplanation {
  readonly query: string;
  /** What was searched for besides, where the question is in another language. */
  readonly inEnglish: string | null;
  /** The filter: services that the readers may see. */
  readonly services: readonly string[];
  readonly road: Road;
  readonly relevance: Relevance;
  readonly judgement: Judgement;
  readonly limits: { readonly answer: number; readonly doubtful: number };
  readonly runbooks: readonly {
    readonly sourceId: string;
    readonly service: string;
    readonly score: number;
    readonly parts: Retrieval["runbooks"][number]["parts"];
    /** Null for what was shown. */
    readonly leftOut: string | null;
  }[];
}

export function explainRetrieval(
  query: FocusedQuery,
  allowedServices: AllowedServices,
  { road, relevance, judgement, runbooks, passages }: Retrieval,
): RetrievalExplanation {
  const shown = new Set(passages.map(({ sourceId }) => sourceId));
  const best = runbooks[0]?.score ?? 0;
  const leftOut = (sourceId: string, score: number): string | null => {
    if (shown.has(sourceId)) return null;
    if (relevance !== "answer") return "the first one is too doubtful to show any";
    if (road !== "search") return `another one was found by its ${road}`;
    if (score < best * LEAST_RUNBOOK_SHARE) return `scores below ${LEAST_RUNBOOK_SHARE * 100} % of the first`;
    return "other passages come first";
  };
  return {
    query: query.text,
    inEnglish: query.inEnglish,
    services: [...allowedServices].toSorted(),
    road,
    relevance,
    judgement,
    limits: { answer: ANSWER_EVIDENCE, doubtful: DOUBTFUL_EVIDENCE },
    runbooks: runbooks.map(({ runbook, score, parts }) => ({
      sourceId: runbook.sourceId,
      service: runbook.service,
      score,
      parts,
      leftOut: leftOut(runbook.sourceId, score),
    })),
  };
}
