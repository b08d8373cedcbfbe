import type { DatabaseSync } from "node:sqlite";

/** An answer that was shown, for what people do with it after: rate it, ask for more, edit their question. */
export interface ShownAnswer {
  readonly userId: string | null;
  readonly channelId: string;
  /** Names the message that asked. */
  readonly messageKey: string;
  /** The question as JSON, its secrets masked. */
  readonly question: string;
  readonly sources: readonly string[];
  readonly indexVersion: string | null;
}

export interface Answers {
  keep(id: string, answer: ShownAnswer): void;
  find(id: string): ShownAnswer | null;
  /** The answer to a message, and since when it stands there (Unix seconds). */
  findByMessage(messageKey: string): { readonly id: string; readonly answeredAt: number } | null;
  expire(now: number): void;
  /** Gives how many were erased. */
  forget(userId: string): number;
}

const ANSWER_SECONDS = 7 * 24 * 3600;

export function createAnswers(database: DatabaseSync): Answers {
  database.exec(`
    CREATE TABLE IF NOT EXISTS answers (
      id TEXT PRIMARY KEY, user_id TEXT, channel_id TEXT NOT NULL, message_key TEXT NOT NULL, question TEXT NOT NULL,
      sources TEXT NOT NULL, index_version TEXT, answered_at INTEGER NOT NULL
    ) WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS answers_by_message ON answers (message_key);
  `);
  const insert = database.prepare(
    `INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, unixepoch()) ON CONFLICT (id) DO UPDATE SET
     question = excluded.question, sources = excluded.sources, index_version = excluded.index_version`,
  );
  const select = database.prepare("SELECT * FROM answers WHERE id = ?");
  const selectByMessage = database.prepare("SELECT id, answered_at FROM answers WHERE message_key = ? LIMIT 1");
  const deleteOld = database.prepare("DELETE FROM answers WHERE answered_at < ?");
  const deleteOf = database.prepare("DELETE FROM answers WHERE user_id = ?");
  return {
    keep(id, { userId, channelId, messageKey, question, sources, indexVersion }) {
      insert.run(id, userId, channelId, messageKey, question, JSON.stringify(sources), indexVersion);
    },
    find(id) {
      const row = select.get(id);
      if (row === undefined) return null;
      return {
        userId: row["user_id"] as string | null,
        channelId: row["channel_id"] as string,
        messageKey: row["message_key"] as string,
        question: row["question"] as string,
        sources: JSON.parse(row["sources"] as string) as string[],
        indexVersion: row["index_version"] as string | null,
      };
    },
    findByMessage(messageKey) {
      const row = selectByMessage.get(messageKey);
      return row === undefined ? null : { id: row["id"] as string, answeredAt: row["answered_at"] as number };
    },
    expire: (now) => void deleteOld.run(now - ANSWER_SECONDS),
    forget: (userId) => Number(deleteOf.run(userId).changes),
  };
}
