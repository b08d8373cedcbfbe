import type { KnownBlock, RichTextBlock, RichTextElement } from "@slack/types";

import { escapeText, linkText, plainLabel, safeAddress } from "./escape-text.ts";
import type { StepPart } from "./read-step.ts";

/** Where a step stands: a label, and its address where the access file has a template. */
export interface Source {
  readonly label: string;
  readonly url: string | null;
}

/**
 * A numbered step above its source. Slack's notation can't hold every text: code with backticks in it, and words between
 * marks that it would take for its own and swallow. Those steps become rich text, whose elements are never interpreted,
 * so that what is copied is what the runbook says, and no character has to be slipped into a command.
 */
export function renderStep(number: number, parts: readonly StepPart[], source: Source): KnownBlock {
  if (!isFaithful(parts)) return renderRichText(number, parts, source);
  const text = `*${number}.* ${toMrkdwn(parts)}\n${linkText(source.url, source.label)}`;
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}

/** A step in Slack's notation. */
export function toMrkdwn(parts: readonly StepPart[]): string {
  const shown = parts.map(({ kind, text }) => {
    const escaped = escapeText(text);
    switch (kind) {
      case "text":
        return escaped;
      case "bold":
        return `*${escaped}*`;
      case "code":
        return `\`${escaped}\``;
      case "block":
        return `\`\`\`\n${escaped}\n\`\`\``;
    }
  });
  return shown.join("").trim();
}

/** What Slack would take for its own: a pair of marks around words, a backtick, an emoji's name. */
const FORMATTING =
  /(?<![\p{L}\p{N}])([*_~])(?=\S)[^\n]*?(?<=\S)\1(?![\p{L}\p{N}])|`|:[a-z0-9_+'-]*[a-z_][a-z0-9_+'-]*:/iu;

function isFaithful(parts: readonly StepPart[]): boolean {
  // Marks make a pair across code, too.
  const prose = parts.map(({ kind, text }) => (kind === "text" || kind === "bold" ? text : " ")).join("");
  if (FORMATTING.test(prose)) return false;
  return parts.every(({ kind, text }, index) => {
    switch (kind) {
      case "text":
        return true;
      case "bold":
        return standsAlone(parts[index - 1], parts[index + 1]);
      case "code":
        return !/[`\n]/.test(text);
      case "block":
        return !text.includes("```");
    }
  });
}

/** Slack sees bold only between blanks or punctuation. */
function standsAlone(before: StepPart | undefined, after: StepPart | undefined): boolean {
  return !/[\p{L}\p{N}]$/u.test(before?.text ?? "") && !/^[\p{L}\p{N}]/u.test(after?.text ?? "");
}

function renderRichText(number: number, parts: readonly StepPart[], { label, url }: Source): RichTextBlock {
  const elements: RichTextBlock["elements"] = [];
  let section: RichTextElement[] = [{ type: "text", text: `${number}. `, style: { bold: true } }];
  const closeSection = () => {
    if (section.length > 0) elements.push({ type: "rich_text_section", elements: section });
    section = [];
  };
  for (const { kind, text } of parts) {
    if (kind === "block") {
      closeSection();
      elements.push({
        type: "rich_text_preformatted",
        elements: apart(text).map((piece) => ({ type: "text", text: piece })),
      });
    } else {
      const style = kind === "text" ? {} : { style: kind === "bold" ? { bold: true } : { code: true } };
      section.push(...apart(text).map((piece) => ({ type: "text" as const, text: piece, ...style })));
    }
  }
  if (section.length > 0) section.push({ type: "text", text: "\n" });
  const address = safeAddress(url);
  section.push(
    ...apart(plainLabel(label)).map((piece): RichTextElement =>
      address === null ? { type: "text", text: piece } : { type: "link", url: address, text: piece },
    ),
  );
  closeSection();
  return { type: "rich_text", elements };
}

/** Rich text is not interpreted; even so no element holds a whole `<…>`, should a client try. */
function apart(text: string): string[] {
  return text.toWellFormed().split(/(?<=<)/);
}
