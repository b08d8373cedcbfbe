import type { App } from "@slack/bolt";

import { REASONS, type FeedbackLine } from "../feedback/feedback-line.ts";
import type { RecordFeedback } from "../feedback/write-feedback.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../operate/metrics.ts";
import type { BotState } from "../store/open-state.ts";
import { errorCode } from "./describe-error.ts";
import type { FindReaders } from "./find-readers.ts";
import { ClickPayload, IncomingQuestion } from "./incoming-question.ts";
import { respondAlone } from "./respond-alone.ts";
import { askWhy, FEEDBACK, THANKS } from "./render-feedback.ts";

const VALUE = /^([0-9a-f]{12}):(up|down|wrong_runbook|outdated|missing_step|not_allowed)$/;

export interface FeedbackParts {
  readonly state: BotState;
  readonly findReaders: FindReaders;
  readonly record: RecordFeedback;
  readonly ownResponseUrl: (address: string, channelId: string) => string | null;
  readonly isForeign: (team: string | null | undefined) => boolean;
  readonly metrics: Metrics;
  readonly log: Logger;
}

/** Thumbs under an answer, and the reason for a bad one. Who may read nothing there has nothing to rate. */
export function takeFeedback(app: App, parts: FeedbackParts): void {
  const { log } = parts;
  app.action(new RegExp(`^${FEEDBACK}(?:_reason:\\d)?$`), async ({ ack, body }) => {
    await ack();
    // Slack hears that the click arrived when this is done, and people are looked up after.
    void rate(parts, body).catch((error: unknown) => log.error({ reason: errorCode(error) }, "feedback_failed"));
  });
}

async function rate(
  { state, findReaders, record, ownResponseUrl, isForeign, metrics, log }: FeedbackParts,
  body: unknown,
): Promise<void> {
  const { user, channel, container, actions, response_url: address } = ClickPayload.parse(body);
  const [, id = "", choice = ""] = VALUE.exec(actions[0]?.value ?? "") ?? [];
  const shown = state.answers.find(id);
  const channelId = channel?.id ?? container?.channel_id;
  if (shown === null || shown.channelId !== channelId) return log.warn({ userId: user.id }, "click_refused");
  const question = IncomingQuestion.parse(JSON.parse(shown.question));
  const readers = await findReaders({ ...question, userId: user.id, isForeign: isForeign(user.team_id) });
  if (readers === "nobody" || readers === "unchecked") return;
  const reason = REASONS.find((word) => word === choice) ?? null;
  const line: FeedbackLine = {
    at: new Date().toISOString(),
    answer_id: id,
    user: user.id,
    asked_by: shown.userId,
    rating: choice === "up" ? "up" : "down",
    reason,
    text: question.text,
    sources: [...shown.sources],
    index: shown.indexVersion,
  };
  await record(line);
  metrics.count("runbook_feedback_total", { rating: line.rating, reason: reason ?? "none" });
  const level = reason === "not_allowed" ? "warn" : "info";
  log[level]({ answerId: id, rating: line.rating, feedback: reason }, "feedback_given");
  const responseUrl = ownResponseUrl(address, shown.channelId);
  if (responseUrl !== null) await respondAlone(responseUrl, choice === "down" ? askWhy(id) : THANKS);
}
