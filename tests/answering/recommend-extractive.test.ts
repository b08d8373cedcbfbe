import { describe, expect, it } from "vitest";

import { findSecrets } from "../../src/answering/mask-secrets.ts";
import { recommendExtractive } from "../../src/answering/recommend-extractive.ts";
import { exampleClassification, examplePassage } from "../fakes/example-passage.ts";

const classification = exampleClassification();

describe("the extractive recommendation", () => {
  it("quotes the runbook's steps whole and in order", () => {
    const draft = recommendExtractive(classification, [examplePassage()]);

    expect(draft?.nextChecks.map(({ text }) => text)).toEqual([
      "Count connections: `poolctl count`.",
      "Compare with the limit: `poolctl limit`.",
    ]);
    expect(draft).toMatchObject({ sourceIds: ["checkout-database"], needsHumanReview: false });
    expect(draft?.explanation.length).toBeGreaterThanOrEqual(20);
  });

  it("gives at most four checks, the best passage's first", () => {
    const steps = "1. A one.\n2. B two.\n3. C three.";
    const draft = recommendExtractive(classification, [
      examplePassage({ text: steps }),
      examplePassage({ sourceId: "other", text: steps }),
    ]);

    expect(draft?.nextChecks.map(({ sourceId }) => sourceId)).toEqual([
      "checkout-database",
      "checkout-database",
      "checkout-database",
      "other",
    ]);
  });

  it("quotes prose for a human where there is no step", () => {
    const draft = recommendExtractive(classification, [examplePassage({ text: "Baskets expire after a day." })]);

    expect(draft).toMatchObject({ needsHumanReview: true });
    expect(draft?.nextChecks[0]?.quote).toBe("Baskets expire after a day.");
  });

  it("masks a secret in the text and leaves it out of the quote", async () => {
    const text = "1. Sign in: `idctl login --password=hunter2-not-real` and write down the time.";
    const passage = examplePassage({ text, secrets: await findSecrets(text) });

    const [check] = recommendExtractive(classification, [passage])?.nextChecks ?? [];

    expect(check?.text).toBe("Sign in: `idctl login --password=[secret]` and write down the time.");
    expect(JSON.stringify(check)).not.toContain("hunter2");
    expect(text).toContain(check?.quote);
  });

  it("takes neither comments nor invisible letters for steps", () => {
    const draft = recommendExtractive(classification, [
      examplePassage({ text: "1. Do it <!-- or not -->.\n2. o\u{200B}b\u{200B}ey\n3. Wait for `ready`." }),
    ]);

    expect(draft?.nextChecks.map(({ text }) => text)).toEqual(["Wait for `ready`."]);
  });

  it("gives nothing when nothing can be quoted", () => {
    expect(recommendExtractive(classification, [examplePassage({ text: "## Heading only" })])).toBeNull();
  });
});
