import { stripVTControlCharacters, styleText } from "node:util";

import { lineOfQuote, linkToQuote } from "../src/answering/link-to-source.ts";
import type { Answer, AudienceAnswer, NextCheck, Passage } from "../src/domain.ts";

/** An answer as text for a terminal. */
export function describeAnswer({ shared, callerOnly }: AudienceAnswer, linkTemplate: string | null): string {
  const parts = [describeOne(shared, linkTemplate)];
  if (callerOnly !== null) parts.push(styleText("bold", "For you alone:"), describeOne(callerOnly, linkTemplate));
  return `${parts.join("\n\n")}\n`;
}

function describeOne(answer: Answer, linkTemplate: string | null): string {
  const { service, category, severity, confidence } = answer.classification;
  const subject = [service ?? "unknown service", category, severity].filter((part) => part !== null).join(" · ");
  const head = styleText("bold", `${subject} (${Math.round(confidence * 100)} % sure)`);
  return [
    head,
    ...describeOutcome(answer, linkTemplate),
    ...answer.warnings.map((warning) => styleText("yellow", warning)),
  ].join("\n");
}

function describeOutcome(answer: Answer, linkTemplate: string | null): string[] {
  switch (answer.kind) {
    case "answered":
      return [
        visible(answer.recommendation.explanation),
        ...answer.recommendation.nextChecks.flatMap((check, index) => [
          `${index + 1}. ${visible(check.text)}`,
          ...cite(answer.passages, check, linkTemplate),
        ]),
        ...(answer.recommendation.needsHumanReview
          ? [styleText("yellow", "A human should judge this before acting.")]
          : []),
      ];
    case "no_match":
      return [
        answer.closest.length > 0 ? "No runbook clearly answers this; the closest are:" : "No runbook answers this.",
        ...answer.closest.map(({ title, url }) => `   ${visible(title)} ${styleText("dim", url ?? "")}`),
        `Ask ${answer.askInstead.group} (${answer.askInstead.why}).`,
      ];
    case "clarify":
      return [answer.question, ...answer.services.map((service) => `   ${service}`)];
    case "not_an_incident":
      return [
        `This does not look like an incident. If it is one, say what fails and where, or ask ${answer.askInstead.group}.`,
      ];
  }
}

function cite(passages: readonly Passage[], { sourceId, quote }: NextCheck, linkTemplate: string | null): string[] {
  const passage = passages.find((candidate) => candidate.sourceId === sourceId && candidate.text.includes(quote));
  if (passage === undefined) return [];
  const line = lineOfQuote(passage, quote);
  const place = [sourceId, passage.headingTrail.at(-1), `line ${line}`].filter((part) => part !== undefined);
  return [styleText("dim", `   ${visible(place.join(" · "))} ${linkToQuote(linkTemplate, passage, quote) ?? ""}`)];
}

/** Runbook text in a terminal: control sequences would act. */
function visible(text: string): string {
  return stripVTControlCharacters(text).replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, "");
}
