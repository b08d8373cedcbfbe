import { catalogueFor, everyService, type AccessPolicy } from "../access/access-policy.ts";
import type { AllowedServices } from "../access/allowed-services.ts";
import { servicesOfPrincipal } from "../access/audience.ts";
import { principalFromFile } from "../access/known-principal.ts";
import { buildQuery } from "../answering/build-query.ts";
import { classifyByRules } from "../answering/classify-by-rules.ts";
import { readMessage } from "../answering/read-message.ts";
import type { Retrieval, Retrieve } from "../answering/retrieve-passages.ts";
import type { FocusedQuery } from "../domain.ts";
import type { Baseline } from "./baselines.ts";
import { rankEntries, relevantPlaces } from "./match-labels.ts";
import type { Question } from "./read-questions.ts";

export interface QuestionOutcome {
  readonly question: Question;
  readonly allowed: AllowedServices;
  readonly query: FocusedQuery;
  readonly retrieval: Retrieval;
  readonly answerable: boolean;
  /** Best first: `source_id`, or `source_id#Heading` where the labels do. */
  readonly ranked: readonly string[];
  readonly refused: boolean;
  /** Places of relevant ones among the first ten, from 1. */
  readonly places: readonly number[];
  /** Runbooks outside what the asker may see; must be 0. */
  readonly leaks: number;
  /** Places of relevant ones in the same question's other rankings. */
  readonly baselines: ReadonlyMap<string, readonly number[]>;
}

/** Asks one labelled question as the person it names, and compares what is ranked with the labels. */
export async function evaluateQuestion(
  question: Question,
  {
    policy,
    retrieve,
    baselines,
  }: {
    readonly policy: AccessPolicy;
    readonly retrieve: Retrieve;
    readonly baselines: ReadonlyMap<string, Baseline>;
  },
): Promise<QuestionOutcome> {
  const allowed =
    question.as === undefined
      ? everyService(policy)
      : servicesOfPrincipal(policy, principalFromFile(policy, question.as));
  const message = await readMessage({ text: question.text, thread: question.thread });
  const classification = classifyByRules(message, catalogueFor(policy, allowed));
  const query = buildQuery(classification, message.thread, message.links);
  const retrieval = await retrieve(query, allowed);
  const entries = rankEntries(retrieval.runbooks, question.relevant);
  const answerable = question.relevant.length > 0;

  const places = new Map<string, readonly number[]>();
  for (const [name, rank] of answerable && allowed.size > 0 ? baselines : []) {
    const others = rankEntries(await rank(query, allowed), question.relevant);
    places.set(name, relevantPlaces(others, question.relevant));
  }
  const forbidden = new Set(question.forbidden_services);
  const isLeak = (service: string) => !allowed.has(service) || forbidden.has(service);
  return {
    question,
    allowed,
    query,
    retrieval,
    answerable,
    ranked: entries.map((entry) => entry.label),
    refused: retrieval.relevance !== "answer" || !classification.isIncident,
    places: relevantPlaces(entries, question.relevant),
    leaks: retrieval.runbooks.filter(({ runbook }) => isLeak(runbook.service)).length,
    baselines: places,
  };
}
