import { cutUnescaped } from "./escape-text.ts";

/** A piece of a runbook's step as it is shown; `text` is never escaped. `block` is code of its own lines. */
export interface StepPart {
  readonly kind: "text" | "bold" | "code" | "block";
  readonly text: string;
}

const FENCE = /^([ \t]*)(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)(?:^[ \t]*\2[`~]*[ \t]*$|$(?![\s\S]))/m;
/** Inline code between equal runs of backticks, or `**bold**` that stands between blanks or punctuation: stars in a path are none. */
const INLINE =
  /(?<!`)(`+)(?!`)((?:[^`]|(?<=[^`])`+(?=[^`])(?!\1(?!`)))+?)(?<!`)\1(?!`)|(?<![\p{L}\p{N}/*])\*\*(?=[^\s*/])((?:`[^`\n]+`|[^*`\n])+?)(?<=[^\s/])\*\*(?![\p{L}\p{N}/*])/gu;
/** Marks around a part that Slack's notation needs, and a blank. */
const MARKS = 10;

/**
 * A step's Markdown in parts: fences lose their language, which Slack would show as code, and their indentation in the
 * list; lines that the runbook only wraps are joined. Code keeps every byte.
 */
export function readStep(markdown: string): StepPart[] {
  const pieces = markdown.split(FENCE);
  const parts: StepPart[] = [];
  for (let index = 0; index < pieces.length; index += 5) {
    parts.push(...readProse(pieces[index] ?? ""));
    const code = pieces[index + 4];
    if (code !== undefined) parts.push({ kind: "block", text: dedent(code, pieces[index + 1]?.length ?? 0) });
  }
  return parts.filter(({ text }) => text !== "");
}

function readProse(markdown: string): StepPart[] {
  return readInline(markdown.replace(/(?<=\S)[ \t]*\n[ \t]*(?=[^\s\-*+>|#\d])/g, " "));
}

function readInline(text: string): StepPart[] {
  const parts: StepPart[] = [];
  let position = 0;
  for (const match of text.matchAll(INLINE)) {
    parts.push({ kind: "text", text: text.slice(position, match.index) });
    const [whole, , code, bold] = match;
    if (code !== undefined) parts.push({ kind: "code", text: stripPadding(code) });
    if (bold !== undefined) parts.push(...readInline(bold).flatMap(makeBold));
    position = match.index + whole.length;
  }
  parts.push({ kind: "text", text: text.slice(position) });
  return parts;
}

/** Blanks stay outside: Slack takes `*word *` for no bold. Code in bold stays code. */
function makeBold(part: StepPart): StepPart[] {
  if (part.kind !== "text") return [part];
  const [, before = "", words = "", after = ""] = /^(\s*)([\s\S]*?)(\s*)$/.exec(part.text) ?? [];
  return [
    { kind: "text", text: before },
    { kind: "bold", text: words },
    { kind: "text", text: after },
  ];
}

/** CommonMark: one blank on each side of inline code belongs to the notation. */
function stripPadding(code: string): string {
  return /^ [\s\S]* $/.test(code) && code.trim() !== "" ? code.slice(1, -1) : code;
}

function dedent(code: string, indent: number): string {
  const lines = code.replace(/\n$/, "").split("\n");
  return lines.map((line) => (line.slice(0, indent).trim() === "" ? line.slice(indent) : line)).join("\n");
}

/**
 * The first parts that fit into `limit` characters after escaping. A command is shown whole or not at all: half of one
 * may be another command. Code of several lines ends at a line's end.
 */
export function cutStep(parts: readonly StepPart[], limit: number): { parts: StepPart[]; cut: boolean } {
  const kept: StepPart[] = [];
  let left = limit;
  for (const part of parts) {
    const fitting = cutUnescaped(part.text, Math.max(0, left - MARKS));
    if (fitting.length < part.text.length) {
      const text = cutPart(part, fitting);
      if (text !== "") kept.push({ ...part, text });
      return { parts: [...kept, { kind: "text", text: " …" }], cut: true };
    }
    kept.push(part);
    left -= MARKS + cutCost(part.text);
  }
  return { parts: kept, cut: false };
}

function cutPart({ kind }: StepPart, fitting: string): string {
  if (kind === "code" || kind === "bold") return "";
  const end = kind === "block" ? fitting.lastIndexOf("\n") : fitting.search(/\s\S*$/);
  return end > 0 ? fitting.slice(0, end) : kind === "block" ? "" : fitting;
}

function cutCost(text: string): number {
  return text.length + 4 * (text.match(/&/g)?.length ?? 0) + 3 * (text.match(/[<>]/g)?.length ?? 0);
}
