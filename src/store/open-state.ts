import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { createChoices, type Choices } from "./choices-table.ts";

/**
 * What the bot remembers between messages, in named tables with their own retention; none of it is searched. Claims keep
 * one message from being answered twice, conversations carry the subject of a thread to its follow-ups.
 */
export interface BotState {
  /** Takes all keys, or none when one of them is taken: then somebody else answers. */
  claim(keys: readonly string[]): boolean;
  /** Gives keys back: the work failed before anything was posted. */
  release(keys: readonly string[]): void;
  rememberTurn(thread: ThreadKey, text: string): void;
  /** The thread's first answered question, which says what it is about, and the last ones, oldest first. */
  turns(thread: ThreadKey): string[];
  readonly choices: Choices;
  close(): void;
}

export interface ThreadKey {
  readonly channelId: string;
  readonly threadTs: string;
}

/** Slack retries for minutes, and has come back after more than an hour; a day costs nothing. */
const CLAIM_SECONDS = 24 * 3600;
const CONVERSATION_SECONDS = 7 * 24 * 3600;
const LAST_TURNS = 2;

export function openState(path: string): BotState {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 5000 });
  database.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE IF NOT EXISTS claims (key TEXT PRIMARY KEY, claimed_at INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS conversations (
      id INTEGER PRIMARY KEY, channel_id TEXT NOT NULL, thread_ts TEXT NOT NULL, text TEXT NOT NULL,
      asked_at INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS conversations_by_thread ON conversations (channel_id, thread_ts);
  `);
  const insertClaim = database.prepare("INSERT OR IGNORE INTO claims VALUES (?, ?)");
  const deleteClaim = database.prepare("DELETE FROM claims WHERE key = ?");
  const insertTurn = database.prepare(
    "INSERT INTO conversations (channel_id, thread_ts, text, asked_at) VALUES (?, ?, ?, ?)",
  );
  const selectTurns = database.prepare(
    `SELECT text FROM conversations WHERE channel_id = ?1 AND thread_ts = ?2 AND (
       id = (SELECT min(id) FROM conversations WHERE channel_id = ?1 AND thread_ts = ?2) OR
       id IN (SELECT id FROM conversations WHERE channel_id = ?1 AND thread_ts = ?2 ORDER BY id DESC LIMIT ?3)
     ) ORDER BY id`,
  );
  const choices = createChoices(database);
  const expire = () => {
    choices.expire(now());
    database.prepare("DELETE FROM claims WHERE claimed_at < ?").run(now() - CLAIM_SECONDS);
    database.prepare("DELETE FROM conversations WHERE asked_at < ?").run(now() - CONVERSATION_SECONDS);
  };
  expire();
  const timer = setInterval(expire, 3_600_000).unref();

  return {
    choices,
    claim(keys) {
      const taken = keys.filter((key) => insertClaim.run(key, now()).changes > 0);
      if (taken.length === keys.length) return true;
      // Somebody else has the message; what was taken just now must not outlive a failure of theirs.
      for (const key of taken) deleteClaim.run(key);
      return false;
    },
    release(keys) {
      for (const key of keys) deleteClaim.run(key);
    },
    rememberTurn({ channelId, threadTs }, text) {
      insertTurn.run(channelId, threadTs, text, now());
    },
    turns: ({ channelId, threadTs }) =>
      selectTurns.all(channelId, threadTs, LAST_TURNS).map((row) => row["text"] as string),
    close() {
      clearInterval(timer);
      database.close();
    },
  };
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
