import type { FocusedQuery } from "../domain.ts";
import type { RankedRunbook } from "../store/passage-store.ts";
import { readTerms } from "../store/read-terms.ts";

/** Runbooks that score less than this share of the best one answer the question less well. */
const LEAST_SHARE = 0.93;
/** Share of two titles' words, the services' own names aside, that they have in common. */
const LEAST_OVERLAP = 0.6;

/** Copies of one text, with another name in them: either answers, so there is nothing to ask. */
const LEAST_SAME_WORDS = 0.5;

/**
 * The services among which only the asker can choose: the question names none, and the best runbook has twins in other
 * services that say the same of theirs ("Roll back checkout", "Roll back payments"). Empty when there is nothing to ask.
 */
export function findTwinServices(query: FocusedQuery, runbooks: readonly RankedRunbook[]): string[] {
  const [best] = runbooks;
  if (best === undefined || query.service !== null || query.earlier.length > 0) return [];
  const subject = subjectOf(best);
  const twins = runbooks.filter(
    (other) =>
      other.runbook.service !== best.runbook.service &&
      other.score >= best.score * LEAST_SHARE &&
      overlap(subject, subjectOf(other)) >= LEAST_OVERLAP &&
      overlap(wordsOf(best), wordsOf(other)) < LEAST_SAME_WORDS,
  );
  const services = [...new Set([best, ...twins].map(({ runbook }) => runbook.service))];
  return services.length > 1 ? services.toSorted() : [];
}

function wordsOf({ chunks }: RankedRunbook): Set<string> {
  return new Set(readTerms(chunks[0]?.chunk.text ?? ""));
}

/** The title's words without those of the service and of the file's folder. */
function subjectOf({ runbook }: RankedRunbook): Set<string> {
  const folders = runbook.path.split("/").slice(0, -1).join(" ");
  const own = new Set(readTerms(`${runbook.service} ${folders}`));
  return new Set(readTerms(runbook.title).filter((term) => !own.has(term)));
}

function overlap(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  const both = left.intersection(right).size;
  return both === 0 ? 0 : both / left.union(right).size;
}
