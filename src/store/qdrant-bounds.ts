import { FIELDS, type CollectionStatistics } from "./bm25f.ts";

// A sparse vector can't hold BM25F itself: its field lengths are measured against the averages of the allowed services,
// which differ from reader to reader. It holds each term's weight against these fixed averages instead, and
// `mostAbove` says by how much the true score can exceed what comes of it.

/** By field, in the order of FIELDS: about what the chunks and runbooks of public collections have. */
export const REFERENCE_CHUNK: CollectionStatistics = { texts: 1, averageLengths: [6, 6, 8, 5, 75] };
export const REFERENCE_RUNBOOK: CollectionStatistics = { texts: 1, averageLengths: [6, 30, 8, 5, 750] };

/**
 * The factor by which a text's BM25F score may be higher under `actual` averages than under the `reference` ones, at most.
 * Each field's share grows by at most average / reference average, and the saturation t / (t + k) never adds to that.
 */
export function mostAbove(actual: CollectionStatistics, reference: CollectionStatistics): number {
  const ratios = FIELDS.map(
    (_field, at) => (actual.averageLengths[at] ?? 0) / (reference.averageLengths[at] ?? Number.POSITIVE_INFINITY),
  );
  return Math.max(1, ...ratios);
}
