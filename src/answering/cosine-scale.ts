import { MINILM_LEVELS } from "../models/create-embedding-model.ts";
import type { CosineLevels } from "../models/embedding-model.ts";
import type { PartWeights, RankedRunbook, ScoreParts } from "../store/passage-store.ts";
import { sumParts } from "../store/rank-candidates.ts";

export interface CosineScale {
  readonly weights: (weights: PartWeights) => PartWeights;
  readonly calibrate: (ranked: RankedRunbook, weights: PartWeights) => RankedRunbook;
}

/** A model that hardly tells what is related from what is not can't be helped. */
const LEAST_RANGE = 0.02;

/**
 * Brings a model's cosines to MiniLM's scale, on which weights and limits were measured: what is unrelated and what is
 * related come to where MiniLM has them. The scale is straight, so the store may rank with weights that are scaled alike.
 */
export function createCosineScale({ unrelated, related }: CosineLevels): CosineScale {
  const range = related - unrelated;
  const isMiniLm = unrelated === MINILM_LEVELS.unrelated && related === MINILM_LEVELS.related;
  if (isMiniLm || range < LEAST_RANGE) return { weights: (weights) => weights, calibrate: (ranked) => ranked };

  const factor = (MINILM_LEVELS.related - MINILM_LEVELS.unrelated) / range;
  const scale = (cosine: number) => Math.min(1, Math.max(0, MINILM_LEVELS.unrelated + (cosine - unrelated) * factor));
  const scaleParts = (parts: ScoreParts): ScoreParts => ({
    ...parts,
    chunkCosine: scale(parts.chunkCosine),
    summaryCosine: scale(parts.summaryCosine),
  });
  return {
    weights: (weights) => ({
      ...weights,
      chunkCosine: weights.chunkCosine * factor,
      summaryCosine: weights.summaryCosine * factor,
    }),
    calibrate: (ranked, weights) => {
      const parts = scaleParts(ranked.parts);
      const chunks = ranked.chunks.map((chunk) => {
        const own = scaleParts(chunk.parts);
        return { ...chunk, parts: own, score: sumParts(own, weights) };
      });
      return { ...ranked, parts, score: sumParts(parts, weights), chunks };
    },
  };
}
