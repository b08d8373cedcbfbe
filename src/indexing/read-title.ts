import { basename } from "node:path";

import type { MarkdownBlock } from "../markdown/parse-markdown.ts";
import { readHeadingText } from "../markdown/plain-text.ts";

/**
 * The first H1 outside code and comments (one of nothing but template tags counts as none), else the front-matter
 * title, else the file's name and a warning.
 */
export function readTitle(
  text: string,
  blocks: readonly MarkdownBlock[],
  frontMatterTitle: string | undefined,
  path: string,
): { readonly text: string; readonly warning: string | null } {
  for (const block of blocks) {
    if (block.kind !== "heading" || block.level !== 1) continue;
    const title = readHeadingText(text.slice(block.content.from, block.content.to));
    if (title !== "") return { text: title, warning: null };
  }
  const fromFrontMatter = readHeadingText(frontMatterTitle ?? "");
  if (fromFrontMatter !== "") return { text: fromFrontMatter, warning: null };
  const name = basename(path).replace(/\.md$/i, "");
  return { text: name, warning: `has no title; add a first line "# …" (its file name is used)` };
}
