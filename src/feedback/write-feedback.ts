import { appendFile, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

import { FEEDBACK_FILE, FeedbackLine } from "./feedback-line.ts";

export type RecordFeedback = (line: FeedbackLine) => Promise<void>;

export function createFeedback(directory: string): RecordFeedback {
  return async (line) => {
    await mkdir(directory, { recursive: true });
    const text = `${JSON.stringify(FeedbackLine.parse(line))}\n`;
    await appendFile(join(directory, FEEDBACK_FILE), text, { mode: 0o600 });
  };
}

const MOST_TRIES = 5;

/** Erases what a person rated, and what others rated of that person's questions. Gives how many lines went. */
export async function forgetFeedback(directory: string, userId: string): Promise<number> {
  const path = join(directory, FEEDBACK_FILE);
  for (let tries = 1; ; tries += 1) {
    const before = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    const lines = before.split("\n").filter((line) => line !== "");
    const kept = lines.filter((line) => !isOf(line, userId));
    if (kept.length === lines.length) return 0;
    await writeFile(`${path}.new`, kept.map((line) => `${line}\n`).join(""), { mode: 0o600 });
    // The bot may have written meanwhile: then once more, so that nothing of others is lost.
    const { size } = await stat(path);
    if (size !== Buffer.byteLength(before) && tries < MOST_TRIES) continue;
    await rename(`${path}.new`, path);
    return lines.length - kept.length;
  }
}

/** A line that can't be read goes, too, when it names the person. */
function isOf(line: string, userId: string): boolean {
  try {
    const { user, asked_by: askedBy } = FeedbackLine.parse(JSON.parse(line));
    return user === userId || askedBy === userId;
  } catch {
    return line.includes(`"${userId}"`);
  }
}
