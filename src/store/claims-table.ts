import type { DatabaseSync } from "node:sqlite";

/** Which messages somebody answers already. */
export interface Claims {
  /** Takes all keys, or none when one of them is taken: then somebody else answers. */
  take(keys: readonly string[]): boolean;
  isTaken(key: string): boolean;
  /** Gives keys back: the work failed before anything was posted. */
  release(keys: readonly string[]): void;
  expire(now: number): void;
}

/** Slack retries for minutes, and has come back after more than an hour; a day costs nothing. */
const CLAIM_SECONDS = 24 * 3600;

export function createClaims(database: DatabaseSync): Claims {
  database.exec("CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, claimed_at INTEGER NOT NULL) WITHOUT ROWID");
  const insert = database.prepare("INSERT OR IGNORE INTO claims VALUES (?, unixepoch())");
  const remove = database.prepare("DELETE FROM claims WHERE key = ?");
  const deleteOld = database.prepare("DELETE FROM claims WHERE claimed_at < ?");
  const select = database.prepare("SELECT 1 FROM claims WHERE key = ?");
  return {
    isTaken: (key) => select.get(key) !== undefined,
    take(keys) {
      const taken = keys.filter((key) => insert.run(key).changes > 0);
      if (taken.length === keys.length) return true;
      // Somebody else has the message; what was taken just now must not outlive a failure of theirs.
      for (const key of taken) remove.run(key);
      return false;
    },
    release(keys) {
      for (const key of keys) remove.run(key);
    },
    expire: (now) => void deleteOld.run(now - CLAIM_SECONDS),
  };
}
