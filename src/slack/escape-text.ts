import { dropInvisible } from "../markdown/plain-text.ts";

/** Slack reads only these three as markup; escaped once, here, whatever the text's origin. */
export function escapeText(text: string): string {
  return text.toWellFormed().replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** A title, a name, a word of ours or of a person: one line, escaped, with nothing that would format it. */
export function escapeLabel(text: string): string {
  return escapeText(dropInvisible(text).replace(/\s+/g, " ").trim()).replace(/[*_~`]/g, (mark) => `\u{200B}${mark}`);
}

/** The only maker of links: an address from the link template, a label that can't end it. */
export function linkText(url: string | null, label: string): string {
  const safeLabel = escapeText(dropInvisible(label).replace(/\s+/g, " ").replaceAll("|", "¦"));
  if (url === null || !/^https?:\/\//.test(url)) return safeLabel;
  const address = url.replace(/[|<>\s]/g, (character) => encodeURIComponent(character)).replaceAll("&", "&amp;");
  return `<${address}|${safeLabel}>`;
}

/**
 * A step of a runbook in Slack's notation, escaped: fences lose their language, which Slack would show as code, and code
 * in fences its indentation in the list; `**bold**` becomes `*bold*` outside code. Commands keep every byte.
 */
export function escapeStep(markdown: string): string {
  const pieces = markdown.split(/^([ \t]*)(`{3,}|~{3,})([^\n`]*)\n([\s\S]*?)(?:^[ \t]*\2[`~]*[ \t]*$|$(?![\s\S]))/m);
  let shown = "";
  for (let index = 0; index < pieces.length; index += 5) {
    shown += escapeProse(pieces[index] ?? "");
    const code = pieces[index + 4];
    if (code === undefined) continue;
    const indent = pieces[index + 1]?.length ?? 0;
    const lines = code.replace(/\n$/, "").split("\n");
    const dedented = lines.map((line) => (line.slice(0, indent).trim() === "" ? line.slice(indent) : line)).join("\n");
    shown += `\`\`\`\n${escapeText(dedented).replaceAll("```", "``\u{200B}`")}\n\`\`\``;
  }
  return shown.trim();
}

/** Lines that the runbook only wraps are joined; lists and blank lines stay. */
function escapeProse(text: string): string {
  return text
    .replace(/(?<=\S)[ \t]*\n[ \t]*(?=[^\s\-*+>|#\d])/g, " ")
    .split(/(`[^`\n]+`)/)
    .map((part, index) => (index % 2 === 1 ? escapeText(part) : escapeText(part).replace(/\*\*([^*\n]+)\*\*/g, "*$1*")))
    .join("");
}

/** At most `limit` characters of escaped text, cut at a place where no entity, link or pair is broken. */
export function cutEscaped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = limit - 1;
  const openEntity = text.lastIndexOf("&", end);
  if (openEntity >= 0 && openEntity > end - 6 && text.indexOf(";", openEntity) >= end) end = openEntity;
  const openLink = text.lastIndexOf("<", end);
  if (openLink >= 0 && text.indexOf(">", openLink) >= end) end = openLink;
  if ((text.charCodeAt(end - 1) & 0xfc_00) === 0xd8_00) end -= 1;
  const cut = text.slice(0, end);
  const closing = (cut.match(/```/g)?.length ?? 0) % 2 === 1 ? "\n```" : "";
  return closing === "" ? `${cut}…` : `${cut.slice(0, Math.max(0, end - 6))}…${closing}`;
}
