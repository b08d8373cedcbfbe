import { describe, expect, it } from "vitest";

import { readSteps } from "../../src/markdown/read-steps.ts";

const stepsOf = (text: string) => readSteps(text).map(({ from, to }) => text.slice(from, to));
const kindsOf = (text: string) => readSteps(text).map(({ kind }) => kind);

describe("the steps of a passage", () => {
  it("are the items of an ordered list, without their numbers", () => {
    expect(stepsOf("## Checks\n\n1. Count: `a`.\n2. Compare.\n")).toEqual(["Count: `a`.", "Compare."]);
  });

  it("keep nested lists and code with their step, byte for byte", () => {
    const step = "Drain it:\n\n   ```sh\n   # drain the node\n     kubectl drain x\n   ```\n   - then wait";

    expect(stepsOf(`1. ${step}\n2. Go on.`)).toEqual([step, "Go on."]);
  });

  it("carry the warning that stands before them", () => {
    const text = "1. Read the size.\n\n> **Warning.** It can't be undone.\n\n2. Drop the table.\n3. Read again.";

    expect(stepsOf(text)).toEqual([
      "Read the size.",
      "> **Warning.** It can't be undone.\n\n2. Drop the table.",
      "Read again.",
    ]);
  });

  it("are no headings in code", () => {
    expect(stepsOf("1. Run:\n   ```\n   # Heading?\n   ```\n")).toHaveLength(1);
  });

  it("are bullets only where they tell what to do", () => {
    expect(kindsOf("## Symptoms\n\n- The queue grows\n- Customers complain\n")).toEqual(["prose"]);
    expect(kindsOf("## Mitigation\n\n- The queue grows\n")).toEqual(["step"]);
    expect(kindsOf("## The worker\n\n- Restart the worker\n")).toEqual(["step"]);
  });

  it("are sentences that lead to a code block", () => {
    expect(stepsOf("Look at the log:\n\n```\ntail -f x\n```\n")).toEqual(["Look at the log:\n\n```\ntail -f x\n```"]);
  });

  it("are not made from prose", () => {
    expect(kindsOf("## Why\n\nBaskets expire after a day.\n\nThen they go.\n")).toEqual(["prose", "prose"]);
  });
});
