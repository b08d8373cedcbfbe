import { existsSync } from "node:fs";
import { join } from "node:path";

import { Document } from "@langchain/core/documents";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readAccessFile } from "../../src/access/read-access-file.ts";
import { loadRunbooks, readRunbooks } from "../../src/indexing/load-runbooks.ts";
import { splitRunbook } from "../../src/indexing/split-runbook.ts";
import type { Chunk } from "../../src/domain.ts";
import { parseMarkdown } from "../../src/markdown/parse-markdown.ts";

function split(text: string, title = "Title"): Promise<Chunk[]> {
  const metadata = {
    sourceId: "one",
    path: "one.md",
    title,
    service: "payments",
    contentHash: "0",
    owner: null,
    lastReviewed: null,
  };
  return splitRunbook({ document: new Document({ pageContent: text, metadata }), blocks: parseMarkdown(text) });
}

function expectVerbatim(text: string, chunks: readonly Chunk[]): void {
  let before = 0;
  for (const chunk of chunks) {
    expect(text.slice(chunk.startIndex, chunk.startIndex + chunk.text.length)).toBe(chunk.text);
    expect(chunk.startIndex).toBeGreaterThanOrEqual(before);
    expect(chunk.startLine).toBe(text.slice(0, chunk.startIndex).split("\n").length);
    expect(chunk.text).not.toMatch(/^[\uDC00-\uDFFF]|[\uD800-\uDBFF]$/);
    before = chunk.startIndex + chunk.text.length;
  }
}

describe("splitting a runbook", () => {
  it("makes one chunk of each short section, with the headings above it", async () => {
    const chunks = await split("# Title\n\nIntro.\n\n## A\n\nText a.\n\n### B\n\nText b.\n\n## C\n\nText c.\n");

    expect(chunks.map(({ headingTrail, text }) => [headingTrail, text])).toEqual([
      [[], "# Title\n\nIntro."],
      [["A"], "## A\n\nText a."],
      [["A", "B"], "### B\n\nText b."],
      [["C"], "## C\n\nText c."],
    ]);
  });

  it("keeps a list with its heading and its conditions where that fits", async () => {
    const items = Array.from({ length: 12 }, (_, index) => `${index + 1}. ${"Do this carefully. ".repeat(4)}`).join(
      "\n",
    );
    const chunks = await split(`# Title\n\n## Steps\n\nOnly when the pool is empty:\n\n${items}\n`);

    expect(chunks).toHaveLength(1);
    expect(chunks[0]?.text).toMatch(/^## Steps\n\nOnly when[\s\S]*12\. Do this/);
  });

  it("cuts a very long list between its items only", async () => {
    const items = Array.from({ length: 60 }, (_, index) => `${index + 1}. ${"Do this carefully. ".repeat(4)}`);
    const text = `# Title\n\n## Steps\n\n${items.join("\n")}\n`;
    const chunks = await split(text);

    expectVerbatim(text, chunks);
    expect(chunks.length).toBeGreaterThan(3);
    for (const chunk of chunks) expect(chunk.text).toMatch(/^(?:## Steps|\d+\. Do)/);
  });

  it("keeps comments out of every chunk", async () => {
    const chunks = await split("# Title\n\n## A\n\n<!-- obey me -->\n\n1. Step.\n");

    expect(chunks.map(({ text }) => text).join()).not.toContain("obey");
    expect(chunks.map(({ headingTrail, text }) => [headingTrail, text])).toEqual([[["A"], "1. Step."]]);
  });

  it("keeps the text below an unclosed fence", async () => {
    const chunks = await split("# Title\n\n## A\n\n```sh\nrun me\n\n## not a heading\n");

    expect(chunks.at(-1)?.text).toContain("## not a heading");
  });

  it("gives repeated paragraphs their own places", async () => {
    const text = `# Title\n\n${Array.from({ length: 5 }, (_, index) => `## R${index}\n\nkubectl get pods\n`).join("\n")}`;
    const chunks = await split(text);

    expectVerbatim(text, chunks);
    expect(new Set(chunks.map(({ startIndex }) => startIndex)).size).toBe(5);
  });

  it("indexes a runbook of headings alone by them", async () => {
    expect((await split("# Title\n\n## A\n")).map(({ text }) => text)).toEqual(["# Title", "## A"]);
  });

  it("is verbatim for any text", { timeout: 60_000 }, async () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "# H\n\n",
        "## S\n\n",
        "- item\n",
        "1. step\n",
        "> quote\n",
        "```\ncode\n```\n",
        "<!-- c -->\n",
        "\r\n",
        "\n\n",
      ),
      fc.string({ unit: "binary", maxLength: 80 }),
      fc.constantFrom(
        "🔥".repeat(700),
        "支付失败时先查看队列深度：".repeat(100),
        "word ".repeat(400),
        "x".repeat(2500),
      ),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 30 }), async (pieces) => {
        const text = pieces.join("");
        expectVerbatim(text, await split(text));
      }),
      { numRuns: 150 },
    );
  });
});

const ROOT = join(import.meta.dirname, "../..");
const CORPORA = join(ROOT, "../shared/corpora");

describe.each([
  ["the sample runbooks", join(ROOT, "runbooks"), join(ROOT, "access.yaml")],
  ["the public runbooks beside this repository", CORPORA, join(CORPORA, "access.yaml")],
])("every chunk of %s", (_name, directory, access) => {
  it.runIf(existsSync(directory))("stands verbatim at its place", { timeout: 120_000 }, async () => {
    const loaded = await loadRunbooks(directory, readAccessFile(access));
    let chunks = 0;
    for await (const runbook of readRunbooks(loaded, loaded.runbooks)) {
      const split = await splitRunbook(runbook);
      expectVerbatim(runbook.document.pageContent, split);
      chunks += split.length;
    }
    expect(chunks).toBeGreaterThan(loaded.runbooks.length);
  });
});
