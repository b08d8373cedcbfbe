import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

export interface Leadership {
  release(): void;
}

/**
 * One process at a time answers for a data directory. The lock is the operating system's own, held by an open transaction:
 * it ends with its process, however that ends. Null: another process has it.
 */
export function tryToLead(path: string, { announce = true } = {}): Leadership | null {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (isBusy(error)) return null;
    throw error;
  }
  if (announce)
    writeFileSync(holderFile(path), `process ${process.pid} on ${hostname()}, since ${new Date().toISOString()}`);
  return { release: () => database.close() };
}

/** Who leads, for a person to read; the lock itself is what counts. */
export function whoLeads(path: string): string {
  try {
    return readFileSync(holderFile(path), "utf8");
  } catch {
    return "another process";
  }
}

const holderFile = (path: string) => `${path}.holder`;

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
