import type { RetrievalExplanation } from "../src/answering/explain-retrieval.ts";

/** `ask --explain` for a terminal. */
export function describeExplanation(explanation: RetrievalExplanation): string {
  const { query, inEnglish, services, road, relevance, judgement, limits, runbooks } = explanation;
  const evidence = Object.entries(judgement.evidence ?? {}).map(([part, value]) => `${part} ${value.toFixed(2)}`);
  return [
    "",
    `query     ${query}`,
    ...(inEnglish === null ? [] : [`in English  ${inEnglish}`]),
    `services  ${services.join(", ") || "none"}`,
    `road      ${road}`,
    `judged    ${relevance}: evidence ${judgement.sum.toFixed(2)} (${evidence.join(", ")}); an answer takes ${limits.answer}, a doubtful one ${limits.doubtful}`,
    ...runbooks.map(({ sourceId, service, score, parts, leftOut }, place) => {
      const { chunkCosine, summaryCosine, chunkKeywords, runbookKeywords } = parts;
      const numbers = [chunkCosine, summaryCosine, chunkKeywords, runbookKeywords].map((value) => value.toFixed(2));
      return `${String(place + 1).padStart(2)}. ${sourceId} (${service}) ${score.toFixed(3)} = ${numbers.join(" / ")}: ${leftOut ?? "shown"}`;
    }),
    "    score = 0.5 chunk vector + 0.5 runbook vector + 0.8 chunk keywords + 0.8 runbook keywords, in this order",
    "",
  ].join("\n");
}

export function explanationJson(explanation: RetrievalExplanation) {
  const { inEnglish, judgement, runbooks, ...rest } = explanation;
  const { chunkCosine, summaryCosine, coverage, namesIdentifier } = judgement.evidence ?? {};
  return {
    ...rest,
    in_english: inEnglish,
    evidence: {
      sum: judgement.sum,
      chunk_cosine: chunkCosine ?? null,
      summary_cosine: summaryCosine ?? null,
      coverage: coverage ?? null,
      names_identifier: namesIdentifier ?? null,
    },
    runbooks: runbooks.map(({ sourceId, service, score, parts, leftOut }) => ({
      source_id: sourceId,
      service,
      score,
      parts: {
        chunk_cosine: parts.chunkCosine,
        summary_cosine: parts.summaryCosine,
        chunk_keywords: parts.chunkKeywords,
        runbook_keywords: parts.runbookKeywords,
      },
      left_out: leftOut,
    })),
  };
}
