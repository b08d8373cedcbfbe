import { mkdir, open, readdir, rename, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";

import { PipelineError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import { AUDIT_FILE, AuditLine, ROTATED_FILE } from "./audit-line.ts";

/** `required`: what can't be recorded is not posted. `best-effort`: it is posted, and the log says so. */
export type AuditMode = "required" | "best-effort" | "off";

export interface AuditTrail {
  /** Resolves when the lines are on disk. @throws PipelineError `dependency` when they can't be written (`required`). */
  record(lines: readonly AuditLine[]): Promise<void>;
}

export interface AuditSettings {
  readonly directory: string;
  readonly mode: AuditMode;
  readonly log: Logger;
  /** Rotated files older than this are deleted. */
  readonly keepDays: number;
  readonly maxBytes?: number;
  readonly maxAgeDays?: number;
  readonly now?: () => number;
}

const DAY_MS = 24 * 3_600_000;

/** Appends to `audit.jsonl` and rotates it by size and age. Each line is flushed to the disk before `record` resolves. */
export function createAuditTrail(settings: AuditSettings): AuditTrail {
  const { directory, mode, log, maxBytes = 20_000_000, maxAgeDays = 30, now = Date.now, keepDays } = settings;
  const path = join(directory, AUDIT_FILE);
  let last: Promise<void> = Promise.resolve();

  async function append(lines: readonly AuditLine[]): Promise<void> {
    await mkdir(directory, { recursive: true });
    await rotateIfDue();
    // Opened for each reply: another process may have rotated the file, or an admin moved it away.
    const file = await open(path, "a", 0o600);
    try {
      await file.write(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async function rotateIfDue(): Promise<void> {
    const file = await open(path, "r").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return null;
      throw error;
    });
    if (file === null) return;
    try {
      const { size } = await file.stat();
      if (size < maxBytes && now() - (await readBeginning(file)) < maxAgeDays * DAY_MS) return;
    } finally {
      await file.close();
    }
    const name = `audit-${new Date(now()).toISOString().replace(/[-:.]/g, "")}.jsonl`;
    await rename(path, join(directory, name));
    log.info({ file: name }, "audit_rotated");
    await removeOld();
  }

  async function readBeginning(file: FileHandle): Promise<number> {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(64), 0, 64, 0);
    const at = /"at":"([^"]+)"/.exec(buffer.toString("utf8", 0, bytesRead))?.[1];
    return at === undefined ? now() : Date.parse(at);
  }

  async function removeOld(): Promise<void> {
    const oldest = new Date(now() - keepDays * DAY_MS).toISOString().replace(/[-:.]/g, "");
    for (const name of await readdir(directory)) {
      const ended = ROTATED_FILE.exec(name)?.[1];
      if (ended !== undefined && ended < oldest) await rm(join(directory, name));
    }
  }

  return {
    async record(lines) {
      if (mode === "off") return;
      // One after the other: two that rotate at once would lose a file.
      const work = last.then(() => append(lines.map((line) => AuditLine.parse(line))));
      last = work.catch(() => undefined);
      try {
        await work;
      } catch (cause) {
        const context = { alarm: "audit_failed", code: (cause as NodeJS.ErrnoException).code ?? "unknown" };
        if (mode === "required") {
          throw new PipelineError("dependency", "the audit line can't be written", { cause, context });
        }
        log.error(context, "audit_failed");
      }
    },
  };
}
