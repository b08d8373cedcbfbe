import { describe, expect, it } from "vitest";

import { hasComment, readHeadingText, readProse, readSearchableText } from "../../src/markdown/plain-text.ts";

describe("plain text", () => {
  it.each([
    ["Checkout p99 > 2 s \\| retries < 3 & queue", "Checkout p99 > 2 s | retries < 3 & queue"],
    ["`kubectl` and *more* [docs](https://x.test)", "kubectl and more docs"],
    ["{{ title }}", ""],
    ["<%= current_page.data.title %>", ""],
    ["Alert {{< badge >}} fires", "Alert fires"],
    ["A &amp; B &#38; C", "A & B & C"],
    ["pool\u{E0061}\u{E0062}\u{200B} slow", "pool slow"],
    ["x <b>y</b> z<!-- secret -->", "x y z"],
  ])("reads the heading %j as %j", (markdown, expected) => {
    expect(readHeadingText(markdown)).toBe(expected);
  });

  it("drops code and addresses from prose, and keeps code for keywords", () => {
    const markdown =
      "Look at [the panel](https://x.test/a):\n\n```\nkubectl get pods\n```\n\n<!-- hidden -->\nThen wait.";

    expect(readProse(markdown)).toBe("Look at the panel: Then wait.");
    expect(readSearchableText(markdown)).toContain("kubectl get pods");
    expect(readSearchableText(markdown)).not.toContain("hidden");
  });

  it("sees comments outside code only", () => {
    expect(hasComment("a <!-- b --> c")).toBe(true);
    expect(hasComment("`<!-- b -->`")).toBe(false);
  });
});
