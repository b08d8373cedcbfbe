import type { KnownBlock } from "@slack/types";

import { lineOfQuote, linkToQuote } from "../answering/link-to-source.ts";
import type { Answer, NextCheck, Passage } from "../domain.ts";
import { cutEscaped, escapeLabel, escapeStep, escapeText, linkText } from "./escape-text.ts";

/** A message as Slack takes it: blocks, and the text for notifications and for clients without blocks. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

// Slack's limits, measured after escaping: a section's text, a context element's, and a message's blocks in all.
const LONGEST_SECTION = 3000;
const LONGEST_CONTEXT = 2000;
const LARGEST_PAYLOAD = 12_500;
const LONGEST_TEXT = 3500;
const LONGEST_QUESTION = 600;

/** An answer for everyone or for one person; every text is escaped here, once. */
export function renderAnswer(answer: Answer, linkTemplate: string | null): SlackMessage {
  const blocks = [
    ...renderOutcome(answer, linkTemplate),
    ...answer.warnings.map((warning) => context(`:warning: ${escapeText(warning)}`)),
  ];
  return fitPayload({ text: cutEscaped(summarise(answer), LONGEST_TEXT), blocks });
}

function renderOutcome(answer: Answer, linkTemplate: string | null): KnownBlock[] {
  switch (answer.kind) {
    case "answered": {
      const { recommendation, passages } = answer;
      const checks = recommendation.nextChecks.map((check, index) =>
        section(renderCheck(check, index + 1, passages, linkTemplate)),
      );
      const review = recommendation.needsHumanReview
        ? [context(":eyes: A human should judge this before acting on it.")]
        : [];
      return [context(describeIncident(answer)), section(escapeText(recommendation.explanation)), ...checks, ...review];
    }
    case "no_match": {
      const ask = `Ask *${escapeLabel(answer.askInstead.group)}* (${escapeLabel(answer.askInstead.why)}).`;
      if (answer.closest.length === 0) return [section(`No runbook answers this. ${ask}`)];
      const closest = answer.closest.map(({ title, url }) => `• ${linkText(url, title)}`);
      return [section(`No runbook clearly answers this; the closest are:\n${closest.join("\n")}\n${ask}`)];
    }
    case "clarify":
      return [
        section(
          `${escapeText(answer.question)}\n${answer.services.map((service) => `• ${escapeLabel(service)}`).join("\n")}`,
        ),
      ];
    case "not_an_incident":
      return [section(HELP)];
  }
}

export const HELP =
  "Tell me what fails and what the logs or the alert say, and I answer with the next checks from the runbooks that you " +
  'may read. For example: `/runbook checkout fails after the deploy, logs say "connection refused"`';

function describeIncident({ classification }: Answer): string {
  const { service, category, severity, ticketId, confidence } = classification;
  const facts = [ticketId, service ?? "unknown service", category, severity, `${Math.round(confidence * 100)} % sure`];
  return facts.flatMap((fact) => (fact === null ? [] : [escapeLabel(fact)])).join(" · ");
}

/** The check, then where it stands; a long check is cut, never its link. */
function renderCheck(
  check: NextCheck,
  number: number,
  passages: readonly Passage[],
  linkTemplate: string | null,
): string {
  const source = citeSource(check, passages, linkTemplate);
  const text = cutEscaped(escapeStep(check.text), LONGEST_SECTION - source.length - 20);
  return `*${number}.* ${text}\n${source}`;
}

function citeSource({ sourceId, quote }: NextCheck, passages: readonly Passage[], linkTemplate: string | null): string {
  const passage = passages.find((candidate) => candidate.sourceId === sourceId && candidate.text.includes(quote));
  if (passage === undefined) return escapeLabel(sourceId);
  const places = [
    passage.title.slice(0, 120),
    passage.headingTrail.at(-1)?.slice(0, 120),
    `line ${lineOfQuote(passage, quote)}`,
  ];
  return linkText(linkToQuote(linkTemplate, passage, quote), places.filter((place) => place !== undefined).join(" · "));
}

/** The root message of a command: a command has no message of its own to answer under. */
export function renderQuestion(userId: string, question: string): SlackMessage {
  const text = `<@${userId}> asked: ${cutEscaped(escapeText(question.replace(/\s+/g, " ")), LONGEST_QUESTION)}`;
  return { text, blocks: [section(text)] };
}

/** One of our own fixed sentences. */
export function renderSentence(sentence: string): SlackMessage {
  return { text: escapeText(sentence), blocks: [section(escapeText(sentence))] };
}

/** Several messages as one, for a reply that only one person sees. */
export function joinMessages(messages: readonly SlackMessage[]): SlackMessage {
  return fitPayload({
    text: cutEscaped(messages.map(({ text }) => text).join("\n"), LONGEST_TEXT),
    blocks: messages.flatMap(({ blocks }) => blocks),
  });
}

function summarise(answer: Answer): string {
  switch (answer.kind) {
    case "answered":
      return answer.recommendation.nextChecks
        .map((check, index) => `${index + 1}. ${escapeStep(check.text)}`)
        .join("\n");
    case "no_match":
      return `No runbook answers this. Ask ${escapeText(answer.askInstead.group)}.`;
    case "clarify":
      return escapeText(answer.question);
    case "not_an_incident":
      return HELP;
  }
}

/** Drops blocks from the end until the whole fits, and says so. */
function fitPayload({ text, blocks }: SlackMessage): SlackMessage {
  const kept = blocks.slice(0, 48);
  while (kept.length > 1 && JSON.stringify(kept).length > LARGEST_PAYLOAD) kept.pop();
  if (kept.length === blocks.length) return { text, blocks };
  return { text, blocks: [...kept, context("Shortened: the runbook has more.")] };
}

function section(text: string): KnownBlock {
  return { type: "section", text: { type: "mrkdwn", text: cutEscaped(text, LONGEST_SECTION), verbatim: true } };
}

function context(text: string): KnownBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text: cutEscaped(text, LONGEST_CONTEXT), verbatim: true }] };
}
