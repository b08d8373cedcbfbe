import type { Chunk } from "../domain.ts";
import type { MarkdownBlock, Span } from "../markdown/parse-markdown.ts";
import { readHeadingText } from "../markdown/plain-text.ts";
import type { LoadedRunbook } from "./load-runbook.ts";

/** Part of the index's identity: change it whenever the same file would give other chunks, terms or embedding texts. */
export const CHUNKER_VERSION = "1";

/** Characters of a chunk; MiniLM reads about 1,000 (256 tokens). */
const CHUNK_SIZE = 900;
/** A list stays whole with the heading and the conditions above it up to this many characters. */
const WHOLE_LIST_SIZE = 1800;
/** Blocks that are nobody's text: they end a chunk and stand in none. */
const LEFT_OUT = new Set<MarkdownBlock["kind"]>(["comment", "rule", "reference"]);

interface Section {
  readonly trail: readonly string[];
  readonly heading: Span | null;
  readonly runs: readonly (readonly MarkdownBlock[])[];
}

export interface SplitRunbook {
  readonly runbook: LoadedRunbook;
  readonly chunks: readonly Chunk[];
}

export async function* splitRunbooks(runbooks: AsyncIterable<LoadedRunbook>): AsyncGenerator<SplitRunbook> {
  for await (const runbook of runbooks) yield { runbook, chunks: await splitRunbook(runbook) };
}

/** Verbatim chunks of a runbook, in order: one or more per Markdown section, never across two. */
export async function splitRunbook({ document, blocks }: LoadedRunbook): Promise<Chunk[]> {
  const text = document.pageContent;
  const { sourceId, title, service, path } = document.metadata;
  const lines = createLineCounter(text);
  const chunks: Chunk[] = [];
  for (const section of readSections(text, title, blocks)) {
    for (const { from, to } of await splitSection(text, section)) {
      chunks.push({
        sourceId,
        title,
        service,
        path,
        headingTrail: section.trail,
        startIndex: from,
        startLine: lines(from),
        text: text.slice(from, to),
      });
    }
  }
  return chunks;
}

function readSections(text: string, title: string, blocks: readonly MarkdownBlock[]): Section[] {
  const sections: { trail: string[]; heading: Span | null; runs: MarkdownBlock[][] }[] = [];
  const trail: { level: number; text: string }[] = [];
  let section = { trail: [] as string[], heading: null as Span | null, runs: [[]] as MarkdownBlock[][] };
  let titleSeen = false;
  for (const block of blocks) {
    if (block.kind === "heading") {
      sections.push(section);
      const heading = readHeadingText(text.slice(block.content.from, block.content.to));
      while ((trail.at(-1)?.level ?? 0) >= block.level) trail.pop();
      const isTitle: boolean = !titleSeen && heading === title;
      titleSeen ||= isTitle;
      if (!isTitle && heading !== "") trail.push({ level: block.level, text: heading });
      section = {
        trail: trail.map((entry) => entry.text),
        heading: { from: block.from, to: block.to },
        runs: [[block]],
      };
    } else if (LEFT_OUT.has(block.kind)) {
      section.runs.push([]);
    } else {
      section.runs.at(-1)?.push(block);
    }
  }
  sections.push(section);
  const withText = sections.filter(({ runs }) => runs.flat().some((block) => block.kind !== "heading"));
  // A runbook of headings alone is still found and shown by them.
  return withText.length > 0 ? withText : sections.filter(({ heading }) => heading !== null);
}

async function splitSection(text: string, { runs }: Section): Promise<Span[]> {
  const spans: Span[] = [];
  const several = runs.flat().some((block) => block.kind !== "heading");
  for (const run of runs) {
    const isHeadingAlone = run.length === 1 && run[0]?.kind === "heading";
    if (run.length > 0 && !(isHeadingAlone && several)) spans.push(...(await packRun(text, run)));
  }
  return spans;
}

/** Cuts a run between blocks at CHUNK_SIZE; lists keep what leads to them as long as that fits. */
async function packRun(text: string, run: readonly MarkdownBlock[]): Promise<Span[]> {
  const spans: Span[] = [];
  let open: { from: number; to: number } | null = null;
  const close = () => {
    if (open) spans.push(open);
    open = null;
  };
  for (const unit of run.flatMap((block) => readUnits(run, block))) {
    const grown: number = unit.to - (open?.from ?? unit.from);
    if (open && grown > (unit.keepsContext ? WHOLE_LIST_SIZE : CHUNK_SIZE)) close();
    if (unit.to - unit.from > (unit.keepsContext ? WHOLE_LIST_SIZE : CHUNK_SIZE)) {
      const from: number = open === null ? unit.from : (open as Span).from;
      open = null;
      spans.push(...(await splitLongText(text, { from, to: unit.to })));
    } else {
      open = { from: open === null ? unit.from : (open as Span).from, to: unit.to };
    }
  }
  close();
  return spans;
}

interface Unit extends Span {
  /** A whole list, which stays with the heading and conditions above it. */
  readonly keepsContext: boolean;
}

/** A list that is too long to stay whole is cut between its items; everything else is one unit. */
function readUnits(run: readonly MarkdownBlock[], block: MarkdownBlock): Unit[] {
  if (block.kind !== "list") return [{ from: block.from, to: block.to, keepsContext: false }];
  const start = run[0]?.from ?? block.from;
  const before = Math.min(block.from - start, CHUNK_SIZE);
  if (block.to - block.from + before <= WHOLE_LIST_SIZE)
    return [{ from: block.from, to: block.to, keepsContext: true }];
  return block.items.map(({ from, to }) => ({ from, to, keepsContext: false }));
}

/**
 * A block that is too long, by LangChain's splitter. Without overlap its pieces are verbatim, in order, and leave out
 * nothing but the blanks between them, so each begins at the first non-blank after the one before.
 */
async function splitLongText(text: string, { from, to }: Span): Promise<Span[]> {
  // Few runbooks need it, and loading it takes longer than reading a thousand of them.
  const { RecursiveCharacterTextSplitter } = await import("@langchain/textsplitters");
  const splitter = new RecursiveCharacterTextSplitter({
    chunkSize: CHUNK_SIZE,
    chunkOverlap: 0,
    separators: ["\n\n", "\n", ". ", " ", ""],
  });
  const spans: Span[] = [];
  let position = from;
  for (const piece of await splitter.splitText(text.slice(from, to))) {
    while (!text.startsWith(piece, position)) {
      if (position >= to) throw new Error("the splitter gave a piece that does not stand in the text");
      position += 1;
    }
    const previous = spans.at(-1);
    const cutsPair = isLowSurrogate(text, position) && previous?.to === position;
    if (cutsPair && previous) spans[spans.length - 1] = { from: previous.from, to: position - 1 };
    spans.push({ from: cutsPair ? position - 1 : position, to: position + piece.length });
    position += piece.length;
  }
  return spans.filter((span) => span.to > span.from);
}

function isLowSurrogate(text: string, index: number): boolean {
  return (text.charCodeAt(index) & 0xfc00) === 0xdc00;
}

/** Line (from 1) of offsets asked in rising order; linear over the whole text. */
function createLineCounter(text: string): (offset: number) => number {
  let line = 1;
  let position = 0;
  return (offset) => {
    for (; position < offset; position += 1) if (text.charCodeAt(position) === 10) line += 1;
    return line;
  };
}
