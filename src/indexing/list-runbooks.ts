import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";

import { PipelineError } from "../errors.ts";
import type { FileProblem } from "./indexing-report.ts";

export interface RunbookFile {
  /** Relative to the directory, with `/`, byte for byte as on disk. */
  readonly path: string;
  readonly sourceId: string;
  readonly absolutePath: string;
}

export interface RunbookListing {
  readonly files: readonly RunbookFile[];
  readonly failures: readonly FileProblem[];
}

/**
 * Every `.md` (in any case) below a directory, in path order. Hidden files and folders are no runbooks yet and are left
 * out. A link to a file inside is followed; a link to a folder is not walked (its pages are listed where they are).
 * @throws PipelineError `indexing` when the directory can't be read.
 */
export async function listRunbooks(directory: string): Promise<RunbookListing> {
  const root = await realpath(directory).catch((error: unknown) => {
    throw new PipelineError("indexing", `${directory}: can't be read; set RUNBOOKS_DIR to your runbooks`, {
      cause: error,
    });
  });
  const files: RunbookFile[] = [];
  const failures: FileProblem[] = [];
  const pending = [""];
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    for (const entry of await readdir(join(root, folder), { withFileTypes: true })) {
      if (entry.name.startsWith(".")) continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      const absolutePath = join(root, path);
      if (entry.isDirectory()) pending.push(path);
      if (entry.isDirectory() || !/\.md$/i.test(entry.name)) continue;

      const failure = entry.isSymbolicLink() ? await findLinkFailure(root, absolutePath) : null;
      if (failure !== null) failures.push({ path, line: null, reason: failure });
      else if ((await stat(absolutePath)).isFile()) {
        files.push({ path, sourceId: path.slice(0, -".md".length), absolutePath });
      }
    }
  }
  const twins = findTwins(files);
  return {
    files: files.filter((file) => !twins.has(file.path)).toSorted((left, right) => (left.path < right.path ? -1 : 1)),
    failures: [...failures, ...[...twins].map(([path, other]) => describeTwin(path, other))],
  };
}

async function findLinkFailure(root: string, link: string): Promise<string | null> {
  try {
    const target = await realpath(link);
    if (!target.startsWith(root + sep)) return "the link leads outside RUNBOOKS_DIR; copy the file here";
    return null;
  } catch {
    await lstat(link);
    return "the link leads to nothing that can be read (missing, or a loop); remove it";
  }
}

/** Paths that differ in Unicode form or in the ending's case only, each with its twin: one source_id, two files. */
function findTwins(files: readonly RunbookFile[]): Map<string, string> {
  const seen = new Map<string, string>();
  const twins = new Map<string, string>();
  for (const { path, sourceId } of files) {
    const key = sourceId.normalize("NFC");
    const other = seen.get(key);
    if (other !== undefined) twins.set(path, other).set(other, path);
    seen.set(key, path);
  }
  return twins;
}

function describeTwin(path: string, other: string): FileProblem {
  return { path, line: null, reason: `has the same source_id as ${other}; rename one of them` };
}
