import type { Classification, FocusedQuery } from "../domain.ts";

/**
 * The search, from the classification's fields only: `service | category | summary | evidence`. `earlier` are the turns
 * of the thread that this asker may use; they carry the subject of a follow-up,
 * unless the message is about another service.
 * `links` are those of the message.
 */
export function buildQuery(
  classification: Classification,
  earlier: readonly string[] = [],
  links: readonly string[] = [],
): FocusedQuery {
  const { service, category, summary, evidence, inEnglish, changesTopic } = classification;
  const fields = [service ?? "unknown service", category, summary, evidence.join("; ")];
  const news = evidence.filter((piece) => !summary.includes(piece));
  return {
    text: fields.filter((field) => field !== "").join(" | "),
    words: [summary, ...news].join("\n"),
    earlier: changesTopic ? [] : earlier,
    inEnglish,
    service,
    links,
  };
}
