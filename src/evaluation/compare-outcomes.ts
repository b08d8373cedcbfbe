import { bootstrapMean, mcNemar, type Interval } from "./bootstrap.ts";

/** The place of the first relevant one, by question; null when it is not among the first ten. */
export type Places = ReadonlyMap<string, number | null>;

export interface Comparison {
  /** Answerable questions that both runs asked. */
  readonly questions: number;
  readonly within: readonly {
    readonly places: number;
    /** Ids of questions that only this run, or only the other one, has within so many places. */
    readonly wins: readonly string[];
    readonly losses: readonly string[];
    readonly p: number;
  }[];
  /** This run's MRR@10 less the other's, with its 95 % interval over the questions. */
  readonly mrrDifference: number;
  readonly mrrInterval: Interval;
}

/** Compares two runs question by question, so that what both find hard does not blur the difference. */
export function compareOutcomes(ours: Places, theirs: Places): Comparison {
  const ids = [...ours.keys()].filter((id) => theirs.has(id));
  const within = [1, 3].map((places) => {
    const hits = (run: Places, id: string) => (run.get(id) ?? Infinity) <= places;
    const wins = ids.filter((id) => hits(ours, id) && !hits(theirs, id));
    const losses = ids.filter((id) => !hits(ours, id) && hits(theirs, id));
    return { places, wins, losses, p: mcNemar(wins.length, losses.length) };
  });
  const reciprocal = (run: Places, id: string) => 1 / (run.get(id) ?? Infinity);
  const differences = ids.map((id) => reciprocal(ours, id) - reciprocal(theirs, id));
  const mrrDifference = ids.length === 0 ? 0 : differences.reduce((sum, value) => sum + value, 0) / ids.length;
  return { questions: ids.length, within, mrrDifference, mrrInterval: bootstrapMean(differences) };
}
