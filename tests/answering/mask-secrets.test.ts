import { performance } from "node:perf_hooks";

import { describe, expect, it } from "vitest";

import { findSecrets } from "../../src/answering/mask-secrets.ts";

describe("looking for secrets", () => {
  it("leaves nothing behind in the process", async () => {
    await findSecrets("warm up");
    const before = performance.getEntries().length;

    for (let text = 0; text < 50; text += 1) await findSecrets(`count the pool ${text}`);

    expect(performance.getEntries().length - before).toBeLessThan(10);
  });
});
