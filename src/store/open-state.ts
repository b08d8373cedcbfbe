import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { createAnswers, type Answers } from "./answers-table.ts";
import { createChoices, type Choices } from "./choices-table.ts";
import { createClaims, type Claims } from "./claims-table.ts";
import { createConversations, type Conversations } from "./conversations-table.ts";
import { createOutbox, type Outbox, type OutboxEntry } from "./outbox-table.ts";

/** What the bot remembers between messages, in named tables with their own retention; none of it is searched. */
export interface BotState {
  readonly claims: Claims;
  readonly conversations: Conversations;
  readonly choices: Choices;
  readonly answers: Answers;
  readonly outbox: Outbox;
  /** Takes the claims and the question, both or neither. False: somebody answers it already. */
  accept(entry: OutboxEntry & { readonly userId: string | null }, claims: readonly string[]): boolean;
  /** It failed before anything was posted: Slack's next delivery of it is another try. */
  giveBack(id: string, claims: readonly string[], outcome: string): void;
  /** Erases a person. Gives how many rows of each table were theirs. */
  forget(userId: string): { conversations: number; choices: number; answers: number; outbox: number };
  close(): void;
}

const EXPIRE_EVERY_MS = 3_600_000;

export function openState(path: string): BotState {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 5000 });
  // A kill loses nothing; a power cut may lose the last moments.
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;");
  const claims = createClaims(database);
  const conversations = createConversations(database);
  const choices = createChoices(database);
  const answers = createAnswers(database);
  const outbox = createOutbox(database);
  const expire = () => {
    const now = Math.floor(Date.now() / 1000);
    for (const table of [claims, conversations, choices, answers, outbox]) table.expire(now);
  };
  expire();
  const timer = setInterval(expire, EXPIRE_EVERY_MS).unref();

  function together<Result>(work: () => Result): Result {
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      database.exec("ROLLBACK");
      throw error;
    }
  }

  return {
    claims,
    conversations,
    choices,
    answers,
    outbox,
    accept: (entry, keys) =>
      together(() => {
        if (!claims.take(keys)) return false;
        outbox.accept(entry);
        return true;
      }),
    giveBack: (id, keys, outcome) =>
      together(() => {
        claims.release(keys);
        outbox.end(id, outcome);
      }),
    forget(userId) {
      const erased = together(() => ({
        conversations: conversations.forget(userId),
        choices: choices.forget(userId),
        answers: answers.forget(userId),
        outbox: outbox.forget(userId),
      }));
      // Old pages wait in the log until they are written back.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      return erased;
    },
    close() {
      clearInterval(timer);
      database.close();
    },
  };
}
