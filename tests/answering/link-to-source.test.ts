import { describe, expect, it } from "vitest";

import { lineOfQuote, linkToSource } from "../../src/answering/link-to-source.ts";
import { examplePassage } from "../fakes/example-passage.ts";

const TEMPLATE = "https://git.example.test/acme/blob/{commit}/{path}#L{line}";

describe("a link to the source", () => {
  it.each([
    ["a/b.md", "a/b.md"],
    ["disk full #1.md", "disk%20full%20%231.md"],
    ["cache%20miss.md", "cache%2520miss.md"],
    ["a|b<c>(d)'.md", "a%7Cb%3Cc%3E%28d%29%27.md"],
    ["$&$1.md", "%24%26%241.md"],
  ])("encodes the path %j", (path, encoded) => {
    expect(linkToSource(TEMPLATE, { path, line: 9, commit: "abc" })).toBe(
      `https://git.example.test/acme/blob/abc/${encoded}#L9`,
    );
  });

  it("is none without a template, or without the commit that it wants", () => {
    expect(linkToSource(null, { path: "a.md", line: 1, commit: null })).toBeNull();
    expect(linkToSource(TEMPLATE, { path: "a.md", line: 1, commit: null })).toBeNull();
  });

  it("points at the line of the quote", () => {
    const passage = examplePassage();

    expect(lineOfQuote(passage, "Compare with the limit: `poolctl limit`.")).toBe(8);
  });
});
