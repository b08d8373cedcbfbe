import type { Answer, AudienceAnswer, GroundedRecommendation, Passage } from "../domain.ts";
import { linkToSource } from "./link-to-source.ts";

/** An answer in the shape of `ask --json`: snake_case, the same fields whatever the outcome. */
export function toAnswerJson(id: string | null, { shared, callerOnly }: AudienceAnswer, linkTemplate: string | null) {
  return {
    id,
    outcome: shared.kind,
    classification: toClassificationJson(shared),
    query: shared.query,
    recommendation: shared.kind === "answered" ? toRecommendationJson(shared.recommendation) : null,
    passages: shared.kind === "answered" ? shared.passages.map((passage) => toPassageJson(passage, linkTemplate)) : [],
    closest:
      shared.kind === "no_match"
        ? shared.closest.map(({ sourceId, title, url }) => ({ source_id: sourceId, title, url }))
        : [],
    caller_only:
      callerOnly === null
        ? null
        : {
            recommendation: toRecommendationJson(callerOnly.recommendation),
            passages: callerOnly.passages.map((passage) => toPassageJson(passage, linkTemplate)),
          },
    uncovered: shared.kind === "answered" ? shared.uncovered : [],
    clarify: shared.kind === "clarify" ? { question: shared.question, services: shared.services } : null,
    ask_instead: shared.kind === "no_match" || shared.kind === "not_an_incident" ? shared.askInstead : null,
    answered_by: shared.answeredBy,
    warnings: [...new Set([...shared.warnings, ...(callerOnly?.warnings ?? [])])],
    timings_ms: shared.timings,
  };
}

function toClassificationJson({ classification }: Answer) {
  const { ticketId, summary, category, severity, service, confidence, evidence, missingInformation } = classification;
  return {
    ticket_id: ticketId,
    summary,
    category,
    severity,
    service,
    confidence,
    evidence,
    missing_information: missingInformation,
  };
}

function toRecommendationJson({ explanation, nextChecks, sourceIds, needsHumanReview }: GroundedRecommendation) {
  return {
    explanation,
    next_checks: nextChecks.map(({ text, sourceId, quote }) => ({ text, source_id: sourceId, quote })),
    source_ids: sourceIds,
    needs_human_review: needsHumanReview,
  };
}

function toPassageJson(passage: Passage, linkTemplate: string | null) {
  return {
    source_id: passage.sourceId,
    title: passage.title,
    service: passage.service,
    heading: passage.headingTrail.at(-1) ?? passage.title,
    start_index: passage.startIndex,
    start_line: passage.startLine,
    score: passage.score,
    text: passage.text,
    url: linkToSource(linkTemplate, { path: passage.path, line: passage.startLine, commit: passage.commit }),
  };
}
