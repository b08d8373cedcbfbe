import type { BotState } from "../store/open-state.ts";
import { IncomingQuestion, messageKey, type MessageEvent } from "./incoming-question.ts";

/** An answer that has stood longer is left alone: people have acted on it. */
const EDITED_WITHIN_S = 10 * 60;

/** The question that an edited message asked, if its answer may still change; null: it is left alone. */
export function readEdit(message: MessageEvent, state: BotState): IncomingQuestion | null {
  const found = state.answers.findByMessage(messageKey(message));
  if (found === null || Date.now() / 1000 - found.answeredAt > EDITED_WITHIN_S) return null;
  const shown = state.answers.find(found.id);
  // The edit must be the asker's own.
  if (shown === null || shown.userId === null || message.user !== shown.userId) return null;
  const question = IncomingQuestion.parse(JSON.parse(shown.question));
  return { ...question, editOf: found.id, chosenService: null };
}
