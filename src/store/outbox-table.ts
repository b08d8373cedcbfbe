import type { DatabaseSync } from "node:sqlite";

/** A question that the bot has taken on and not yet answered. */
export interface OutboxEntry {
  /** The answer's id. */
  readonly id: string;
  /** The question as JSON. */
  readonly question: string;
  /** Milliseconds since the epoch. */
  readonly acceptedAt: number;
}

/** What is known of one message: `ts` is null while nobody has told whether it arrived. */
export interface KnownPost {
  readonly ts: string | null;
  /** Milliseconds since the epoch. */
  readonly begunAt: number;
}

/** Each message of an answer, noted before it is sent and once more when Slack has it, so that none is sent twice. */
export interface PostLedger {
  find(postId: string): KnownPost | null;
  begin(postId: string): void;
  sent(postId: string, ts: string): void;
  /** Slack refused it, so it stands nowhere. */
  refused(postId: string): void;
}

/**
 * accepted → answered → ended. A kill at any point leaves the question here, and the next start goes on. Its words go when
 * it has ended; the bare fact stays for a day.
 */
export interface Outbox {
  accept(entry: OutboxEntry & { readonly userId: string | null }): void;
  /** The pipeline has answered; the posts begin. */
  answered(id: string): void;
  end(id: string, outcome: string): void;
  /** Accepted and not ended, oldest first. */
  pending(): OutboxEntry[];
  readonly posts: PostLedger;
  expire(now: number): void;
  /** Gives how many were erased. */
  forget(userId: string): number;
}

const ENDED_SECONDS = 24 * 3600;

export function createOutbox(database: DatabaseSync): Outbox {
  database.exec(`
    CREATE TABLE IF NOT EXISTS outbox (
      id TEXT PRIMARY KEY, status TEXT NOT NULL, user_id TEXT, question TEXT, accepted_at INTEGER NOT NULL, ended_at INTEGER
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS outbox_posts (post_id TEXT PRIMARY KEY, ts TEXT, begun_at INTEGER NOT NULL) WITHOUT ROWID;
  `);
  const insert = database.prepare(
    "INSERT INTO outbox (id, status, user_id, question, accepted_at) VALUES (?, 'accepted', ?, ?, ?)",
  );
  const answer = database.prepare("UPDATE outbox SET status = 'answered' WHERE id = ?");
  const end = database.prepare("UPDATE outbox SET status = ?, question = NULL, ended_at = unixepoch() WHERE id = ?");
  const selectPending = database.prepare(
    "SELECT id, question, accepted_at FROM outbox WHERE ended_at IS NULL AND question IS NOT NULL ORDER BY accepted_at",
  );
  const deleteOld = database.prepare("DELETE FROM outbox WHERE ended_at < ?");
  const deleteOf = database.prepare("DELETE FROM outbox WHERE user_id = ?");
  return {
    accept: ({ id, userId, question, acceptedAt }) => void insert.run(id, userId, question, acceptedAt),
    answered: (id) => void answer.run(id),
    end: (id, outcome) => void end.run(outcome, id),
    pending: () =>
      selectPending.all().map((row) => ({
        id: row["id"] as string,
        question: row["question"] as string,
        acceptedAt: row["accepted_at"] as number,
      })),
    posts: createPostLedger(database),
    expire(now) {
      deleteOld.run(now - ENDED_SECONDS);
      database.prepare("DELETE FROM outbox_posts WHERE begun_at < ?").run((now - ENDED_SECONDS) * 1000);
    },
    forget: (userId) => Number(deleteOf.run(userId).changes),
  };
}

function createPostLedger(database: DatabaseSync): PostLedger {
  const select = database.prepare("SELECT ts, begun_at FROM outbox_posts WHERE post_id = ?");
  const begin = database.prepare("INSERT OR REPLACE INTO outbox_posts VALUES (?, NULL, ?)");
  const note = database.prepare("UPDATE outbox_posts SET ts = ? WHERE post_id = ?");
  const remove = database.prepare("DELETE FROM outbox_posts WHERE post_id = ?");
  return {
    find(postId) {
      const row = select.get(postId);
      return row === undefined ? null : { ts: row["ts"] as string | null, begunAt: row["begun_at"] as number };
    },
    begin: (postId) => void begin.run(postId, Date.now()),
    sent: (postId, ts) => void note.run(ts, postId),
    refused: (postId) => void remove.run(postId),
  };
}
