import type { MarkdownBlock } from "../markdown/parse-markdown.ts";
import { lineAt } from "./line-at.ts";
import type { FrontMatter } from "./read-front-matter.ts";

/** What a runbook says of itself, in front matter or in `Service:`/`Owner:` lines right below the title. */
export interface HeaderLines {
  readonly service: string | null;
  readonly serviceLine: number;
  readonly owner: string | null;
}

const HEADER_LINE = /^[ \t>]*(?:[-*] )?\**(service|owner)\**[ \t]*:[ \t]*\**[ \t]*`?([^\r\n`*]+?)`?\**[ \t]*\\?$/gim;

export function readHeader(text: string, blocks: readonly MarkdownBlock[], frontMatter: FrontMatter): HeaderLines {
  const found = new Map<string, { value: string; line: number }>();
  for (const key of ["service", "owner"]) {
    const value = frontMatter.values[key];
    if (typeof value === "string") found.set(key, { value: value.trim(), line: frontMatter.lines[key] ?? 1 });
  }
  for (const block of blocksBelowTitle(blocks)) {
    for (const match of text.slice(block.from, block.to).matchAll(HEADER_LINE)) {
      const key = match[1]?.toLowerCase() ?? "";
      // A front-matter header and a line below the title may both stand there: the line is what people read.
      found.set(key, { value: (match[2] ?? "").trim(), line: lineAt(text, block.from + match.index) });
    }
  }
  const service = found.get("service");
  return { service: service?.value ?? null, serviceLine: service?.line ?? 1, owner: found.get("owner")?.value ?? null };
}

/** The paragraphs (or the list) right below the first heading: as many as hold header lines only. */
function blocksBelowTitle(blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const title = blocks.findIndex((block) => block.kind === "heading");
  const below = blocks.slice(title + 1);
  const end = below.findIndex((block) => block.kind === "heading");
  return below.slice(0, end < 0 ? 2 : Math.min(end, 2)).filter(({ kind }) => kind === "paragraph" || kind === "list");
}
