import type { DatabaseSync } from "node:sqlite";

export interface ThreadKey {
  readonly channelId: string;
  readonly threadTs: string;
}

/** The questions of a thread, for its follow-ups: its subject, never what may be searched. */
export interface Conversations {
  remember(thread: ThreadKey, userId: string | null, text: string): void;
  /** The thread's first answered question, which says what it is about, and the last ones, oldest first. */
  turns(thread: ThreadKey): string[];
  expire(now: number): void;
  /** Gives how many were erased. */
  forget(userId: string): number;
}

const CONVERSATION_SECONDS = 7 * 24 * 3600;
const LAST_TURNS = 2;

export function createConversations(database: DatabaseSync): Conversations {
  database.exec(`
    CREATE TABLE IF NOT EXISTS conversations (
      id INTEGER PRIMARY KEY, channel_id TEXT NOT NULL, thread_ts TEXT NOT NULL, text TEXT NOT NULL,
      asked_at INTEGER NOT NULL
    );
    CREATE INDEX IF NOT EXISTS conversations_by_thread ON conversations (channel_id, thread_ts);
  `);
  // Turns of before this column are nobody's; they go within a week.
  const columns = database.prepare("SELECT name FROM pragma_table_info('conversations')").all();
  if (!columns.some(({ name }) => name === "user_id")) {
    database.exec("ALTER TABLE conversations ADD COLUMN user_id TEXT");
  }
  const insert = database.prepare(
    "INSERT INTO conversations (channel_id, thread_ts, text, asked_at, user_id) VALUES (?, ?, ?, unixepoch(), ?)",
  );
  const select = database.prepare(
    `SELECT text FROM conversations WHERE channel_id = ?1 AND thread_ts = ?2 AND (
       id = (SELECT min(id) FROM conversations WHERE channel_id = ?1 AND thread_ts = ?2) OR
       id IN (SELECT id FROM conversations WHERE channel_id = ?1 AND thread_ts = ?2 ORDER BY id DESC LIMIT ?3)
     ) ORDER BY id`,
  );
  const deleteOld = database.prepare("DELETE FROM conversations WHERE asked_at < ?");
  const deleteOf = database.prepare("DELETE FROM conversations WHERE user_id = ?");
  return {
    remember: ({ channelId, threadTs }, userId, text) => void insert.run(channelId, threadTs, text, userId),
    turns: ({ channelId, threadTs }) => select.all(channelId, threadTs, LAST_TURNS).map((row) => row["text"] as string),
    expire: (now) => void deleteOld.run(now - CONVERSATION_SECONDS),
    forget: (userId) => Number(deleteOf.run(userId).changes),
  };
}
