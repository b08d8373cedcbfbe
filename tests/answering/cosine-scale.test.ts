import { expect, it } from "vitest";

import { createCosineScale } from "../../src/answering/cosine-scale.ts";
import { MINILM_LEVELS } from "../../src/models/create-embedding-model.ts";
import { createMiniLm } from "../../src/models/minilm.ts";
import { createCheckedModel } from "../../src/models/embedding-model.ts";
import type { RankedRunbook } from "../../src/store/passage-store.ts";
import { PART_WEIGHTS, sumParts } from "../../src/store/rank-candidates.ts";

const ranked = (chunkCosine: number, summaryCosine: number): RankedRunbook => {
  const parts = { chunkCosine, summaryCosine, chunkKeywords: 0.2, runbookKeywords: 0.3 };
  return { runbook: {} as RankedRunbook["runbook"], score: 0, parts, chunks: [] };
};

it("brings an e5 model's cosines to where MiniLM has them, and keeps the store's order", () => {
  const { calibrate, weights } = createCosineScale({ unrelated: 0.81, related: 0.87 });

  expect(calibrate(ranked(0.81, 0.87), PART_WEIGHTS).parts).toMatchObject({
    chunkCosine: expect.closeTo(MINILM_LEVELS.unrelated, 9),
    summaryCosine: expect.closeTo(MINILM_LEVELS.related, 9),
    chunkKeywords: 0.2,
  });
  const [better, worse] = [ranked(0.86, 0.84), ranked(0.84, 0.845)];
  const inStore = (each: RankedRunbook) => sumParts(each.parts, weights(PART_WEIGHTS));
  const calibrated = (each: RankedRunbook) => calibrate(each, PART_WEIGHTS).score;
  expect(inStore(better) - inStore(worse)).toBeCloseTo(calibrated(better) - calibrated(worse), 9);
});

it("leaves MiniLM as it is, whose levels are what they are measured to be", async () => {
  const miniLm = createMiniLm();
  const embedMany = (texts: string[]) => miniLm.embed(texts);
  const measured = await createCheckedModel(
    { embedQuery: async (text) => (await miniLm.embed([text]))[0] ?? [], embedDocuments: embedMany },
    { provider: "local", name: "minilm", dimensions: 384, prefixes: { query: "", document: "" } },
  );

  expect(measured.levels.unrelated).toBeCloseTo(MINILM_LEVELS.unrelated, 2);
  expect(measured.levels.related).toBeCloseTo(MINILM_LEVELS.related, 2);
  expect(createCosineScale(MINILM_LEVELS).calibrate(ranked(0.5, 0.4), PART_WEIGHTS)).toEqual(ranked(0.5, 0.4));
});
