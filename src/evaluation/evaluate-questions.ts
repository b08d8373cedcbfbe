import { catalogueFor, everyService, type AccessPolicy } from "../access/access-policy.ts";
import { servicesOfPrincipal } from "../access/audience.ts";
import { principalFromFile } from "../access/known-principal.ts";
import { buildQuery } from "../answering/build-query.ts";
import { classifyByRules } from "../answering/classify-by-rules.ts";
import { readMessage } from "../answering/read-message.ts";
import type { Retrieval, Retrieve } from "../answering/retrieve-passages.ts";
import type { Question } from "./read-questions.ts";

export interface QuestionOutcome {
  readonly id: string;
  readonly kind: string;
  readonly answerable: boolean;
  /** Best first: `source_id`, or `source_id#Heading` where the labels do. */
  readonly ranked: readonly string[];
  readonly refused: boolean;
  /** Place of the first relevant one, from 1; null when it is not among the first ten. */
  readonly hitRank: number | null;
  readonly leaks: number;
}

const RANKED = 10;

/** Asks one labelled question as the person it names, and compares what is ranked with the labels. */
export async function evaluateQuestion(
  question: Question,
  { policy, retrieve }: { readonly policy: AccessPolicy; readonly retrieve: Retrieve },
): Promise<QuestionOutcome> {
  const allowed =
    question.as === undefined
      ? everyService(policy)
      : servicesOfPrincipal(policy, principalFromFile(policy, question.as));
  const message = await readMessage({ text: question.text, thread: question.thread });
  const classification = classifyByRules(message, catalogueFor(policy, allowed));
  const retrieval = await retrieve(buildQuery(classification, message.thread, message.links), allowed);

  const byHeading = question.relevant.some((label) => label.includes("#"));
  const entries = byHeading ? rankSections(retrieval) : rankRunbooks(retrieval);
  const place = entries.findIndex((entry) => question.relevant.some((label) => matchesLabel(entry, label)));
  const forbidden = new Set(question.forbidden_services);
  const isLeak = (service: string) => !allowed.has(service) || forbidden.has(service);
  return {
    id: question.id,
    kind: question.kind,
    answerable: question.relevant.length > 0,
    ranked: entries.map((entry) => entry.label),
    refused: retrieval.relevance !== "answer" || !classification.isIncident,
    hitRank: place < 0 ? null : place + 1,
    leaks: retrieval.runbooks.filter(({ runbook }) => isLeak(runbook.service)).length,
  };
}

interface RankedEntry {
  readonly label: string;
  readonly sourceId: string;
  readonly headings: readonly string[];
}

function rankRunbooks({ runbooks }: Retrieval): RankedEntry[] {
  return runbooks.map(({ runbook }) => ({ label: runbook.sourceId, sourceId: runbook.sourceId, headings: [] }));
}

function rankSections({ runbooks }: Retrieval): RankedEntry[] {
  const seen = new Set<string>();
  return runbooks
    .flatMap(({ chunks }) => chunks)
    .toSorted((left, right) => right.score - left.score)
    .map(({ chunk }) => ({
      label: `${chunk.sourceId}#${chunk.headingTrail.at(-1) ?? chunk.title}`,
      sourceId: chunk.sourceId,
      headings: [...chunk.headingTrail, chunk.title],
    }))
    .filter(({ label }) => !seen.has(label) && seen.add(label))
    .slice(0, RANKED);
}

function matchesLabel(entry: RankedEntry, label: string): boolean {
  const [sourceId, heading] = label.split("#", 2);
  return entry.sourceId === sourceId && (heading === undefined || entry.headings.includes(heading));
}
