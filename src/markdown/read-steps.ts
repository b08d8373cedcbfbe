import { parseMarkdown, type ListItem, type MarkdownBlock, type Span } from "./parse-markdown.ts";

/** A step of a runbook with what must be read before it; the span is verbatim and in one piece. */
export interface Step extends Span {
  readonly kind: "step" | "prose";
}

/** What the bullets below a heading are. */
type Bullets = "steps" | "facts" | "unknown";

const WARNING =
  /^[\s>*_!:[\]-]*(?:⚠️?|🚨|🛑|warning|caution|danger|attention|important|careful|beware|do not|don't|never|note|achtung|avertissement)\b/iu;
/** Bullets below such a heading tell what is seen or why, not what to do. */
const NO_STEPS_HEADING =
  /\b(?:symptoms?|impact|overview|background|causes?|meaning|summary|about|context|details|notes?|severity|architecture|references?|links?|related|why|history|timeline|contents?|glossary)\b/iu;
const INSTRUCTION =
  /^(?:\[[ x]\]\s*)?\**(?:first|then|next|now|finally|if|when|once|after|before|otherwise|check|look|open|run|read|verify|confirm|restart|scale|find|list|get|see|use|set|ask|call|tell|wait|stop|start|delete|drop|remove|add|create|apply|compare|count|ensure|make|try|go|log|connect|identify|inspect|investigate|review|roll|revert|rotate|drain|cordon|increase|decrease|reduce|raise|lower|enable|disable|switch|fail|promote|page|escalate|contact|post|announce|update|upgrade|export|import|copy|move|clear|purge|flush|kill|note|write|save|take|do|don't|never|always|examine|describe|execute|monitor|query|search|validate|test|report|notify|restore|back)\b/iu;
const STEPS_HEADING =
  /\b(?:steps?|checks?|mitigat\w+|resol\w+|diagnos\w+|procedure|fix\w*|debug\w*|troubleshoot\w*|what to do|how to|remed\w+|verif\w+|roll ?back|recover\w+|investigat\w+|actions?|triage|respon\w+|contain\w*|eradicat\w+)\b/iu;
/** Left of a step's text in a list: `1.`, `-`, a checkbox. */
const LIST_MARK = /^(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?/;

/**
 * The steps of a passage in order: items of ordered lists, items of other lists that tell what to do, and sentences that
 * lead to a code block. A warning right before a step belongs to it. A passage without steps gives its paragraphs as
 * prose: nothing is turned into a step.
 */
export function readSteps(text: string): Step[] {
  const blocks = parseMarkdown(text);
  const heading = blocks.find((block) => block.kind === "heading");
  const title = heading === undefined ? "" : text.slice(heading.from, heading.to);
  const bullets = STEPS_HEADING.test(title) ? "steps" : NO_STEPS_HEADING.test(title) ? "facts" : "unknown";
  const steps = findSteps(text, blocks, bullets);
  return steps.length > 0 ? steps : findProse(text, blocks);
}

/** Does a whole runbook tell what to do anywhere? */
export function hasSteps(text: string, blocks: readonly MarkdownBlock[]): boolean {
  return findSteps(text, blocks, "unknown").length > 0;
}

function findSteps(text: string, blocks: readonly MarkdownBlock[], bullets: Bullets): Step[] {
  const steps: Step[] = [];
  let warning: Span | null = null;
  blocks.forEach((block, index) => {
    const before = blocks[index - 1];
    if (isWarning(text, block)) {
      warning = { from: warning?.from ?? block.from, to: block.to };
      return;
    }
    const found = stepsOfBlock(text, block, before, bullets);
    const [first, ...rest] = found;
    if (first === undefined) {
      if (block.kind === "heading") warning = null;
      return;
    }
    steps.push(warning === null ? first : { ...first, from: warning.from }, ...rest);
    warning = null;
  });
  return steps;
}

function stepsOfBlock(text: string, block: MarkdownBlock, before: MarkdownBlock | undefined, bullets: Bullets): Step[] {
  if (block.kind === "list") {
    return block.items
      .filter((item) => block.ordered || bullets === "steps" || (bullets === "unknown" && tellsWhatToDo(text, item)))
      .map((item) => ({ kind: "step" as const, ...trimItem(text, item) }))
      .filter((step) => step.to > step.from);
  }
  if (block.kind !== "code") return [];
  const leads = before?.kind === "paragraph" && /[:：]\s*$/.test(text.slice(before.from, before.to));
  const instructs = before?.kind === "paragraph" && INSTRUCTION.test(text.slice(before.from, before.to));
  return before !== undefined && (leads || instructs) ? [{ kind: "step", from: before.from, to: block.to }] : [];
}

function findProse(text: string, blocks: readonly MarkdownBlock[]): Step[] {
  return blocks
    .filter(({ kind }) => kind === "paragraph" || kind === "list" || kind === "table" || kind === "quote")
    .map(({ from, to }) => ({ kind: "prose", from, to }));
}

function isWarning(text: string, block: MarkdownBlock): boolean {
  const quotable = block.kind === "quote" || block.kind === "paragraph";
  return quotable && WARNING.test(text.slice(block.from, block.to).replace(/^>\s*\[!\w+\]\s*/, "warning "));
}

function tellsWhatToDo(text: string, item: ListItem): boolean {
  const { from, to } = trimItem(text, item);
  return INSTRUCTION.test(text.slice(from, to));
}

function trimItem(text: string, { from, to }: Span): Span {
  const mark = LIST_MARK.exec(text.slice(from, to))?.[0].length ?? 0;
  return { from: from + mark, to };
}
