import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";

import { PipelineError } from "../errors.ts";
import { AUDIT_FILE, AuditLine, ROTATED_FILE } from "./audit-line.ts";

export interface AuditQuestion {
  readonly source: string | null;
  readonly user: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

/**
 * The lines that answer a question, oldest first, rotated files included. A line that a crash cut short is counted, not
 * guessed at.
 * @throws PipelineError `dependency` when the directory or a file can't be read.
 */
export async function* readAudit(
  directory: string,
  { source, user, since }: AuditQuestion,
  onBroken: () => void,
): AsyncGenerator<AuditLine> {
  for (const name of listFiles(directory)) {
    for await (const text of readLines(join(directory, name))) {
      // Most lines are about other runbooks: they need no parsing.
      if (source !== null && !text.includes(JSON.stringify(source))) continue;
      const line = parseLine(text);
      if (line === null) onBroken();
      else if (
        Date.parse(line.at) >= since &&
        (source === null || line.sources.includes(source)) &&
        (user === null || line.user === user)
      ) {
        yield line;
      }
    }
  }
}

function listFiles(directory: string): string[] {
  try {
    const names = readdirSync(directory);
    const rotated = names.filter((name) => ROTATED_FILE.test(name)).toSorted();
    return names.includes(AUDIT_FILE) ? [...rotated, AUDIT_FILE] : rotated;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw new PipelineError("dependency", `${directory}: can't be read`, { cause });
  }
}

async function* readLines(path: string): AsyncGenerator<string> {
  try {
    const input = createReadStream(path, "utf8");
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      if (line !== "") yield line;
    }
  } catch (cause) {
    throw new PipelineError("dependency", `${path}: can't be read`, { cause });
  }
}

function parseLine(text: string): AuditLine | null {
  try {
    return AuditLine.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
