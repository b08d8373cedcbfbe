import { GFM, parser as commonMark } from "@lezer/markdown";

// @lezer/markdown follows CommonMark, gives offsets, and takes linear time (40,000 headings: 1 s; README, "Decisions").
const parser = commonMark.configure(GFM);

/** A span of the text, in UTF-16 code units; `to` is exclusive. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface ListItem extends Span {
  readonly kind: "item";
  /** Blocks inside the item, in order, without the list mark. */
  readonly blocks: readonly MarkdownBlock[];
}

/** A top-level block of a Markdown text, in order; everything between blocks is blank. */
export type MarkdownBlock = Span &
  (
    | { readonly kind: "heading"; readonly level: number; readonly content: Span }
    | { readonly kind: "list"; readonly ordered: boolean; readonly items: readonly ListItem[] }
    | { readonly kind: "code"; readonly closed: boolean; readonly info: string; readonly code: string }
    | { readonly kind: "quote"; readonly blocks: readonly MarkdownBlock[] }
    | { readonly kind: "paragraph" | "table" | "html" | "comment" | "rule" | "reference" }
  );

type Tree = ReturnType<typeof parser.parse>;
type Node = Tree["topNode"];

export function parseMarkdown(text: string): MarkdownBlock[] {
  return readBlocks(text, parser.parse(text).topNode);
}

const WRITTEN_LINKS = new Set(["Link", "Image", "LinkReference"]);

/** Where a link or image of a text leads, and where that stands. */
export interface MarkdownLink {
  readonly target: string;
  readonly from: number;
}

/** As `parseMarkdown`, with the targets of all links, in one pass over the text. */
export function parseWithLinks(text: string): { readonly blocks: MarkdownBlock[]; readonly links: MarkdownLink[] } {
  const tree = parser.parse(text);
  const links: MarkdownLink[] = [];
  tree.iterate({
    enter({ name, from, to, node }) {
      // A bare address or mail is a URL too, but no link that somebody wrote.
      if (name !== "URL" || !WRITTEN_LINKS.has(node.parent?.name ?? "")) return;
      links.push({ target: text.slice(from, to).replace(/^<|>$/g, ""), from });
    },
  });
  return { blocks: readBlocks(text, tree.topNode), links };
}

/** Inline nodes (and marks) below a span, in order, outermost first: for readers of titles and prose. */
export function parseInline(text: string): Tree {
  return parser.parse(text);
}

function readBlocks(text: string, parent: Node): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  for (let node = parent.firstChild; node; node = node.nextSibling) {
    const block = readBlock(text, node);
    if (block) blocks.push(block);
  }
  return blocks;
}

function readBlock(text: string, node: Node): MarkdownBlock | null {
  const span = { from: node.from, to: node.to };
  const heading = /^(?:ATX|Setext)Heading(\d)$/.exec(node.name);
  if (heading) {
    return { ...span, kind: "heading", level: Number(heading[1]), content: headingContent(text, node) };
  }
  switch (node.name) {
    case "BulletList":
    case "OrderedList":
      return { ...span, kind: "list", ordered: node.name === "OrderedList", items: readItems(text, node) };
    case "FencedCode":
    case "CodeBlock":
      return readCode(text, node);
    case "Blockquote":
      return { ...span, kind: "quote", blocks: readBlocks(text, node) };
    case "Table":
      return { ...span, kind: "table" };
    case "HTMLBlock":
      return { ...span, kind: "html" };
    case "CommentBlock":
    case "ProcessingInstructionBlock":
      return { ...span, kind: "comment" };
    case "HorizontalRule":
      return { ...span, kind: "rule" };
    case "LinkReference":
      return { ...span, kind: "reference" };
    case "Paragraph":
    case "Task":
      return { ...span, kind: "paragraph" };
    default:
      return null;
  }
}

function readItems(text: string, list: Node): ListItem[] {
  const items: ListItem[] = [];
  for (let node = list.firstChild; node; node = node.nextSibling) {
    if (node.name === "ListItem") {
      items.push({ kind: "item", from: node.from, to: node.to, blocks: readBlocks(text, node) });
    }
  }
  return items;
}

function readCode(text: string, node: Node): MarkdownBlock {
  const fences = node.getChildren("CodeMark");
  const info = node.getChild("CodeInfo");
  const lines = node.getChildren("CodeText").map((line) => text.slice(line.from, line.to));
  return {
    from: node.from,
    to: node.to,
    kind: "code",
    closed: node.name === "CodeBlock" || fences.length > 1,
    info: info ? text.slice(info.from, info.to) : "",
    code: lines.join(""),
  };
}

/** The heading's words: without `#` marks, without the Setext underline. */
function headingContent(text: string, node: Node): Span {
  const marks = node.getChildren("HeaderMark");
  let { from, to } = node;
  for (const mark of marks) {
    if (mark.from === node.from) from = mark.to;
    else to = Math.min(to, mark.from);
  }
  while (from < to && /\s/.test(text[from] ?? "")) from += 1;
  while (to > from && /\s/.test(text[to - 1] ?? "")) to -= 1;
  return { from, to };
}
