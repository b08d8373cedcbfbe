import type { DatabaseSync } from "node:sqlite";

/** A question that the bot asked back, and the services among which the asker chooses. */
export interface Choice {
  readonly userId: string;
  /** The asker's question as JSON. */
  readonly question: string;
  readonly services: readonly string[];
}

/** What the buttons under a question stand for: they carry an id, and the words stay here. */
export interface Choices {
  offer(id: string, choice: Choice): void;
  /** Null: never offered, or too long ago. */
  find(id: string): Choice | null;
  expire(now: number): void;
  /** Gives how many were erased. */
  forget(userId: string): number;
}

const CHOICE_SECONDS = 24 * 3600;

export function createChoices(database: DatabaseSync): Choices {
  database.exec(`
    CREATE TABLE IF NOT EXISTS choices (
      id TEXT PRIMARY KEY, user_id TEXT NOT NULL, question TEXT NOT NULL, services TEXT NOT NULL, offered_at INTEGER NOT NULL
    ) WITHOUT ROWID;
  `);
  const insert = database.prepare("INSERT OR REPLACE INTO choices VALUES (?, ?, ?, ?, unixepoch())");
  const select = database.prepare("SELECT user_id, question, services FROM choices WHERE id = ?");
  const deleteOld = database.prepare("DELETE FROM choices WHERE offered_at < ?");
  const deleteOf = database.prepare("DELETE FROM choices WHERE user_id = ?");
  return {
    offer(id, { userId, question, services }) {
      insert.run(id, userId, question, JSON.stringify(services));
    },
    find(id) {
      const row = select.get(id);
      if (row === undefined) return null;
      const services = JSON.parse(row["services"] as string) as string[];
      return { userId: row["user_id"] as string, question: row["question"] as string, services };
    },
    expire: (now) => void deleteOld.run(now - CHOICE_SECONDS),
    forget: (userId) => Number(deleteOf.run(userId).changes),
  };
}
