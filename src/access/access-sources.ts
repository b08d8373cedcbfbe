import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { load, YAMLException } from "js-yaml";
import { LineCounter, parseDocument } from "yaml";

import { ConfigurationError } from "../errors.ts";

/** One file of the policy, as text. */
export interface AccessSource {
  readonly path: string;
  readonly text: string;
}

/** Where something stands in the access file. */
export interface AccessLocation {
  readonly path: string;
  /** Counts from 1. */
  readonly line: number;
}

/** `access.yaml` may be split: the files of `access.d/` beside it, in the order of their names. */
export function partsDirectoryOf(path: string): string {
  return `${path.replace(/\.ya?ml$/i, "")}.d`;
}

/**
 * The access file and its parts.
 * @throws ConfigurationError when one of them can't be read.
 */
export function readAccessSources(path: string): readonly AccessSource[] {
  return [path, ...listParts(partsDirectoryOf(path))].map((file) => {
    try {
      return { path: file, text: readFileSync(file, "utf8") };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? "unreadable";
      throw new ConfigurationError([`${file}: can't be read (${code}); set ACCESS_FILE to your access file`]);
    }
  });
}

function listParts(directory: string): string[] {
  try {
    const names = readdirSync(directory).filter((name) => /\.ya?ml$/i.test(name) && !name.startsWith("."));
    return names.toSorted().map((name) => join(directory, name));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT") return [];
    throw new ConfigurationError([`${directory}: can't be read (${code ?? "unreadable"}); check its permissions`]);
  }
}

/** SHA-256, shortened: names the policy in logs and audit lines. One file alone is named by its bytes. */
export function versionOf(sources: readonly AccessSource[]): string {
  const [first, ...parts] = sources;
  const hash = createHash("sha256").update(first?.text ?? "");
  for (const { path, text } of parts) hash.update(`\0${basename(path)}\0`).update(text);
  return hash.digest("hex").slice(0, 12);
}

/**
 * A file's YAML as plain values; nothing is guessed: a key given twice, an unknown tag and a second document are errors.
 * @throws ConfigurationError with the line.
 */
export function parseSource({ path, text }: AccessSource): unknown {
  // An empty part says nothing, and that is no mistake.
  if (text.replace(/^\uFEFF/u, "").trim() === "") return null;
  try {
    return load(text.replace(/^\uFEFF/u, ""));
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const line = (error.mark?.line ?? 0) + 1;
    throw new ConfigurationError([`${path}:${line}: ${error.reason}`]);
  }
}

/**
 * Gives the function that finds the line of some keys, or of the nearest thing above them. The slower parser, which knows
 * every place, reads a file only when the first place is asked for.
 */
export function createLocator({ path, text }: AccessSource): (keys: readonly PropertyKey[]) => AccessLocation {
  let parsed: ReturnType<typeof parseWithLines> | null = null;
  return (keys) => {
    parsed ??= parseWithLines(text);
    for (let depth = keys.length; depth > 0; depth -= 1) {
      const node: unknown = parsed.document.getIn(keys.slice(0, depth), true);
      const range = (node as { range?: [number, number, number] } | undefined)?.range;
      if (range) return { path, line: parsed.lines.linePos(range[0]).line };
    }
    return { path, line: 1 };
  };
}

function parseWithLines(text: string) {
  const lines = new LineCounter();
  return { document: parseDocument(text, { lineCounter: lines, prettyErrors: false }), lines };
}
