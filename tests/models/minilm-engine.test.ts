import { expect, test } from "vitest";

import { loadNativeMiniLm, loadPortableMiniLm } from "../../src/models/minilm-engine.ts";
import { dotProduct } from "../../src/models/embedding-model.ts";

const TEXTS = [
  "database connection refused after the 14:05 deployment",
  "",
  "Naïve café: `dbpool stats --region eu-west`, ERR_PAY_1042, 日本語, ﬁ, zero\u200bwidth",
  "a".repeat(300),
  // Beyond the 256 tokens that the model reads.
  "the queue grows and the workers restart one after the other ".repeat(60),
];

test("the native engine gives the portable engine's vectors, so that an index of one serves the other", async () => {
  const [native, portable] = await Promise.all([loadNativeMiniLm(), loadPortableMiniLm()]);

  for (const text of TEXTS) {
    const [left, right] = [await native(text), await portable(text)];

    expect(left).toHaveLength(384);
    expect(Math.abs(dotProduct(left, left) - 1)).toBeLessThan(1e-6);
    left.forEach((value, index) => expect(Math.abs(value - (right[index] ?? NaN)), text).toBeLessThan(1e-5));
  }
});
