import { parseInline } from "./parse-markdown.ts";

/** Nodes that are notation, not words. */
const NOTATION = new Set([
  "HeaderMark",
  "QuoteMark",
  "ListMark",
  "TaskMarker",
  "EmphasisMark",
  "StrikethroughMark",
  "CodeMark",
  "CodeInfo",
  "LinkMark",
  "URL",
  "Autolink",
  "LinkTitle",
  "LinkLabel",
  "LinkReference",
  "HTMLTag",
  "Comment",
  "CommentBlock",
  "ProcessingInstruction",
  "ProcessingInstructionBlock",
  "TableDelimiter",
  "HorizontalRule",
]);
const CODE_BLOCKS = new Set(["FencedCode", "CodeBlock"]);
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: " " };
/** ERB, Hugo and Jekyll tags: a title made of nothing else is no title. */
const TEMPLATE_TAG = /<%.*?%>|\{\{.*?\}\}|\{%.*?%\}/gs;
/** Zero-width, bidirectional and tag characters: they show nothing and can carry text that nobody sees. */
const INVISIBLE =
  /[\u{AD}\u{200B}-\u{200F}\u{202A}-\u{202E}\u{2060}-\u{2064}\u{2066}-\u{206F}\u{FEFF}\u{E0000}-\u{E007F}]/gu;

/** A title or heading as people read it: one line, no notation, no template tags, no invisible characters. */
export function readHeadingText(markdown: string): string {
  const text = dropNotation(markdown.replace(TEMPLATE_TAG, " "), { code: true });
  return dropInvisible(text).replace(/\s+/g, " ").trim();
}

/** The words of a text for an embedding: no code blocks, no addresses, no notation. */
export function readProse(markdown: string): string {
  return dropNotation(markdown, { code: false }).replace(/\s+/g, " ").trim();
}

/** The words of a text for keyword search: as prose, with code. */
export function readSearchableText(markdown: string): string {
  return dropNotation(markdown, { code: true });
}

export function dropInvisible(text: string): string {
  return text.replace(INVISIBLE, "");
}

export function hasInvisible(text: string): boolean {
  return text.search(INVISIBLE) >= 0;
}

/** Does a text hold an HTML comment (outside code)? */
export function hasComment(markdown: string): boolean {
  let found = false;
  parseInline(markdown).iterate({
    enter: ({ name }) => {
      found ||= name === "Comment" || name === "CommentBlock";
      return !found;
    },
  });
  return found;
}

function dropNotation(markdown: string, { code }: { code: boolean }): string {
  let plain = "";
  let position = 0;
  const replace = (from: number, to: number, by: string): void => {
    if (from < position) return;
    plain += markdown.slice(position, from) + by;
    position = to;
  };
  parseInline(markdown).iterate({
    enter(node) {
      if (!code && CODE_BLOCKS.has(node.name)) {
        replace(node.from, node.to, "\n");
        return false;
      }
      if (node.name === "HTMLBlock") {
        replace(node.from, node.to, markdown.slice(node.from, node.to).replace(/<[^>]*>/g, " "));
        return false;
      }
      if (NOTATION.has(node.name)) {
        replace(node.from, node.to, node.name === "TableDelimiter" ? " " : "");
        return false;
      }
      if (node.name === "Escape") replace(node.from, node.to, markdown.slice(node.from + 1, node.to));
      if (node.name === "Entity") replace(node.from, node.to, decodeEntity(markdown.slice(node.from, node.to)));
      return true;
    },
  });
  return plain + markdown.slice(position);
}

function decodeEntity(entity: string): string {
  const name = entity.slice(1, -1);
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  if (name.startsWith("#") && code > 0 && code <= 0x10_ff_ff) return String.fromCodePoint(code).toWellFormed();
  return ENTITIES[name] ?? entity;
}
