import type { Passage } from "../domain.ts";

/** Where a citation points in the runbook's file. */
export interface SourceLocation {
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
  readonly commit: string | null;
}

/**
 * The only place where a link is made: the access file's template with the path percent-encoded segment by segment.
 * Null without a template, or when the template wants a commit and none is known.
 */
export function linkToSource(template: string | null, { path, line, commit }: SourceLocation): string | null {
  if (template === null || (template.includes("{commit}") && commit === null)) return null;
  const encodedPath = path.split("/").map(encodeSegment).join("/");
  return template
    .replaceAll("{path}", () => encodedPath)
    .replaceAll("{line}", () => String(line))
    .replaceAll("{commit}", () => commit ?? "");
}

/** Where a quote of a passage begins; null without a link template. */
export function linkToQuote(template: string | null, passage: Passage, quote: string): string | null {
  return linkToSource(template, { path: passage.path, line: lineOfQuote(passage, quote), commit: passage.commit });
}

/** The line (from 1) on which a quote of a passage begins. */
export function lineOfQuote(passage: Passage, quote: string): number {
  const at = Math.max(0, passage.text.indexOf(quote));
  return passage.startLine + (passage.text.slice(0, at).match(/\n/g)?.length ?? 0);
}

/** `encodeURIComponent` leaves `!'()*` as they are; a chat client may end a link at one of them. */
function encodeSegment(segment: string): string {
  return encodeURIComponent(segment.toWellFormed()).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
