import type { RunbookMetadata } from "../domain.ts";
import type { QuestionOutcome } from "./evaluate-questions.ts";

/** The names of failures (README), and two of the judgement: a right runbook withheld, and one shown for nothing. */
export type MissName = "indexing" | "freshness" | "permission" | "ranking" | "refused" | "answered";

export interface Miss {
  readonly outcome: QuestionOutcome;
  readonly name: MissName;
  readonly why: string;
}

const SHOWN = 3;

/** What went wrong with each question that was not answered as its labels say, in the order of the questions. */
export function nameFailures(
  outcomes: readonly QuestionOutcome[],
  indexed: ReadonlyMap<string, RunbookMetadata>,
  /** Paths of files that say something else than the index. */
  stale: ReadonlySet<string>,
): Miss[] {
  return outcomes.flatMap((outcome) => {
    const named = outcome.answerable ? nameOf(outcome, indexed, stale) : nameOfNothing(outcome);
    return named === null ? [] : [{ outcome, ...named }];
  });
}

function nameOfNothing({ refused }: QuestionOutcome) {
  return refused ? null : { name: "answered" as const, why: "nothing answers it, yet passages were shown" };
}

function nameOf(
  { question, allowed, places, refused }: QuestionOutcome,
  indexed: ReadonlyMap<string, RunbookMetadata>,
  stale: ReadonlySet<string>,
): { readonly name: MissName; readonly why: string } | null {
  const place = places[0] ?? null;
  if (place !== null && place <= SHOWN && !refused) return null;
  const sourceIds = question.relevant.map((label) => label.split("#")[0] ?? label);
  const wanted = sourceIds.flatMap((sourceId) => indexed.get(sourceId) ?? []);
  if (wanted.length === 0) return { name: "indexing", why: "no wanted runbook is in the index" };
  const open = wanted.filter(({ service }) => allowed.has(service));
  if (open.length === 0) return { name: "permission", why: "the asker may open none of the wanted runbooks" };
  if (open.every(({ path }) => stale.has(path))) {
    return { name: "freshness", why: "the files of the wanted runbooks have changed since they were indexed" };
  }
  if (place === null) return { name: "ranking", why: "the wanted runbook is not among the first ten" };
  if (place > SHOWN) return { name: "ranking", why: `the wanted runbook stands at ${place}` };
  return { name: "refused", why: `the wanted runbook stands at ${place}, and was judged too doubtful to show` };
}
