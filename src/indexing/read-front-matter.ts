import { parse as parseToml, TomlError } from "smol-toml";
import { isMap, isScalar, LineCounter, parseDocument } from "yaml";

export interface FrontMatter {
  readonly values: Readonly<Record<string, unknown>>;
  /** Lines (from 1) of the keys. */
  readonly lines: Readonly<Record<string, number>>;
  /** Where the text begins, in UTF-16 code units. */
  readonly end: number;
  readonly warnings: readonly { line: number; reason: string }[];
}

export type FrontMatterResult = FrontMatter | { readonly failure: string; readonly line: number };

const NONE: FrontMatter = { values: {}, lines: {}, end: 0, warnings: [] };

/** YAML between `---` lines or TOML between `+++` lines at the very top of a file. */
export function readFrontMatter(text: string): FrontMatterResult {
  const fence = /^(---|\+\+\+)[ \t]*\r?\n/.exec(text);
  if (!fence) return NONE;
  const closing = fence[1] === "+++" ? /^\+\+\+[ \t]*(?:\r?\n|$)/gm : /^(?:---|\.\.\.)[ \t]*(?:\r?\n|$)/gm;
  closing.lastIndex = fence[0].length;
  const close = closing.exec(text);
  if (!close) return { failure: `front matter is not closed; add a line ${fence[1] ?? ""} below it`, line: 1 };
  const source = text.slice(fence[0].length, close.index);
  const end = close.index + close[0].length;
  return fence[1] === "+++" ? readToml(source, end) : readYaml(source, end);
}

function readYaml(source: string, end: number): FrontMatterResult {
  const counter = new LineCounter();
  const document = parseDocument(source, { lineCounter: counter, uniqueKeys: false, prettyErrors: false });
  const lineAt = (offset: number): number => counter.linePos(offset).line + 1;
  const error = document.errors[0];
  if (error) return { failure: `front matter can't be read as YAML: ${error.message}`, line: lineAt(error.pos[0]) };
  // Between two rules there may be ordinary text: that is no front matter.
  if (!isMap(document.contents)) return document.contents === null ? { ...NONE, end } : NONE;

  const lines: Record<string, number> = {};
  const warnings: { line: number; reason: string }[] = [];
  for (const { key } of document.contents.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const line = lineAt(key.range?.[0] ?? 0);
    if (lines[name] !== undefined)
      warnings.push({ line, reason: `front matter names ${name} twice; the last one counts` });
    lines[name] = line;
  }
  try {
    return { values: document.toJS({ maxAliasCount: 100 }) as Record<string, unknown>, lines, end, warnings };
  } catch (cause) {
    return { failure: `front matter can't be read as YAML: ${(cause as Error).message}`, line: 1 };
  }
}

function readToml(source: string, end: number): FrontMatterResult {
  try {
    const values = parseToml(source);
    const lines = Object.fromEntries(
      Object.keys(values).map((key) => [key, source.split("\n").findIndex((line) => line.trim().startsWith(key)) + 2]),
    );
    return { values, lines, end, warnings: [] };
  } catch (cause) {
    const line = cause instanceof TomlError ? cause.line + 1 : 1;
    return { failure: `front matter can't be read as TOML: ${(cause as Error).message.split("\n")[0] ?? ""}`, line };
  }
}
