import type { IncomingQuestion } from "./incoming-question.ts";

export type Mode = IncomingQuestion["mode"];

/**
 * What a person wants besides an answer in its place. Only a command's first word is one of ours: elsewhere `search` and
 * `status` are words of the question.
 */
export function readMode(kind: IncomingQuestion["kind"], text: string): { readonly mode: Mode; readonly text: string } {
  if (kind === "alert") return { mode: "answer", text };
  if (/^\W*(?:help\W*)?$/iu.test(text)) return { mode: "help", text };
  if (kind !== "command") return { mode: "answer", text };
  if (/^\s*status\s*$/i.test(text)) return { mode: "status", text };
  const [, word = "", rest = ""] = /^\s*(private|search)\s+(\S[\s\S]*)$/i.exec(text) ?? [];
  if (rest === "") return { mode: "answer", text };
  return { mode: word.toLowerCase() === "private" ? "private" : "search", text: rest };
}
