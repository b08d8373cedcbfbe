import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";

import type { MarkdownBlock, MarkdownLink } from "../markdown/parse-markdown.ts";
import { hasSteps } from "../markdown/read-steps.ts";
import type { FileProblem } from "./indexing-report.ts";
import { lineAt } from "./line-at.ts";
import type { RunbookFile } from "./list-runbooks.ts";

/** Relative: no scheme, no host, no root, no mere place in the same file. */
const RELATIVE = /^(?![a-z][a-z0-9+.-]*:|\/|#|\{|<|\?)[^\s]/iu;

/** What would make a good runbook better: links that lead to nothing, and no step anywhere. */
export function findAdvice(
  text: string,
  blocks: readonly MarkdownBlock[],
  links: readonly MarkdownLink[],
  file: RunbookFile,
): FileProblem[] {
  const dead = links.filter(({ target }) => RELATIVE.test(target) && !leadsSomewhere(target, file));
  const problems = dead.map(({ target, from }) => ({
    path: file.path,
    line: lineAt(text, from),
    reason: `links to ${target}, which is not there; correct or remove the link`,
  }));
  if (hasSteps(text, blocks)) return problems;
  return [...problems, { path: file.path, line: null, reason: "has no steps; write what to do as a numbered list" }];
}

function leadsSomewhere(target: string, file: RunbookFile): boolean {
  const [path = ""] = target.split(/[?#]/);
  try {
    return existsSync(resolve(dirname(file.absolutePath), decodeURIComponent(path)));
  } catch {
    return false;
  }
}
