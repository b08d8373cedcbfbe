import type { RankedRunbook } from "../store/passage-store.ts";

export interface RankedEntry {
  /** `source_id`, or `source_id#Heading` where the labels name sections. */
  readonly label: string;
  readonly sourceId: string;
  readonly headings: readonly string[];
}

const RANKED = 10;

/** The first ten, as runbooks or as sections, whichever the labels name. */
export function rankEntries(runbooks: readonly RankedRunbook[], labels: readonly string[]): RankedEntry[] {
  const entries = labels.some((label) => label.includes("#")) ? rankSections(runbooks) : rankRunbooks(runbooks);
  return entries.slice(0, RANKED);
}

function rankRunbooks(runbooks: readonly RankedRunbook[]): RankedEntry[] {
  return runbooks.map(({ runbook }) => ({ label: runbook.sourceId, sourceId: runbook.sourceId, headings: [] }));
}

function rankSections(runbooks: readonly RankedRunbook[]): RankedEntry[] {
  const seen = new Set<string>();
  return runbooks
    .flatMap(({ chunks }) => chunks)
    .toSorted((left, right) => right.score - left.score)
    .map(({ chunk }) => ({
      label: `${chunk.sourceId}#${chunk.headingTrail.at(-1) ?? chunk.title}`,
      sourceId: chunk.sourceId,
      headings: [...chunk.headingTrail, chunk.title],
    }))
    .filter(({ label }) => !seen.has(label) && seen.add(label));
}

/** Places, from 1, at which something relevant stands, each label counted once. */
export function relevantPlaces(entries: readonly RankedEntry[], labels: readonly string[]): number[] {
  const left = new Set(labels);
  return entries.flatMap((entry, index) => {
    const label = [...left].find((candidate) => matchesLabel(entry, candidate));
    if (label === undefined) return [];
    left.delete(label);
    return [index + 1];
  });
}

export function matchesLabel(entry: RankedEntry, label: string): boolean {
  const [sourceId, heading] = label.split("#", 2);
  return entry.sourceId === sourceId && (heading === undefined || entry.headings.includes(heading));
}
