import type { AuditLine } from "../audit/audit-line.ts";
import type { Answer } from "../domain.ts";
import type { Shown } from "./shown.ts";
import type { Readers } from "./find-readers.ts";
import type { IncomingQuestion } from "./incoming-question.ts";

/** The audit line of an answer that is about to be posted. */
export function describeShown(
  { answer, to, allowed }: Shown,
  {
    question,
    readers,
    answerId,
  }: { readonly question: IncomingQuestion; readonly readers: Readers; readonly answerId: string },
): AuditLine {
  return {
    at: new Date().toISOString(),
    answer_id: answerId,
    user: question.userId,
    channel: question.channelId,
    thread: question.threadTs,
    kind: question.kind,
    outcome: answer.kind,
    shown_to: to,
    services: [...readers.audience[allowed]].toSorted(),
    sources: sourcesOf(answer),
    policy: readers.policyVersion,
    index: answer.indexVersion,
  };
}

/** Every runbook whose words, title or link a reader sees. */
export function sourcesOf(answer: Answer): string[] {
  switch (answer.kind) {
    case "answered": {
      const { sourceIds, nextChecks } = answer.recommendation;
      // The explanation names the best passage's runbook, cited or not.
      const explained = answer.passages.map(({ sourceId }) => sourceId);
      return [...new Set([...sourceIds, ...nextChecks.map(({ sourceId }) => sourceId), ...explained])];
    }
    case "no_match":
      return answer.closest.map(({ sourceId }) => sourceId);
    case "clarify":
    case "not_an_incident":
      return [];
  }
}
