import type { KnownBlock } from "@slack/types";

import { lineOfQuote, linkToQuote } from "../answering/link-to-source.ts";
import type { Answer, NextCheck, Passage } from "../domain.ts";
import { escapeLabel, escapeUpTo, linkText, plainLabel } from "./escape-text.ts";
import { fitMessage, LONGEST_SECTION, type SlackMessage } from "./fit-message.ts";
import { cutStep, readStep } from "./read-step.ts";
import { renderChoices } from "./service-choice.ts";
import { renderStep, toMrkdwn, type Source } from "./render-step.ts";

export type { SlackMessage } from "./fit-message.ts";

const LONGEST_QUESTION = 600;
const LONGEST_NOTICE = 200;
const LONGEST_PLACE = 60;
const MOST_UNCOVERED = 5;
const ROOM_FOR_NUMBER = 20;

export const HELP =
  "Tell me what fails and what the logs or the alert say, and I answer with the next checks from the runbooks that you " +
  'may read. For example: `/runbook checkout fails after the deploy, logs say "connection refused"`';

/** One of our own fixed sentences, in Slack's notation already. */
export interface Sentence {
  readonly sentence: string;
}

/** Answers and sentences as one message for the same readers; every text is escaped here, once. */
export function renderReply(parts: readonly (Answer | Sentence)[], linkTemplate: string | null): SlackMessage {
  return fitMessage((longestStep) => {
    const shown = parts.map((part) =>
      "sentence" in part ? renderSentencePart(part) : renderAnswer(part, linkTemplate, longestStep),
    );
    return {
      text: shown.map(({ text }) => text).join("\n"),
      blocks: shown.flatMap(({ blocks }) => blocks),
      shortened: shown.some(({ shortened }) => shortened),
    };
  });
}

export function renderSentence(sentence: string): SlackMessage {
  return renderReply([{ sentence }], null);
}

/** The root message of a command: a command has no message of its own to answer under. */
export function renderQuestion(userId: string, question: string): SlackMessage {
  const text = `<@${userId}> asked: ${escapeUpTo(question.replace(/\s+/g, " "), LONGEST_QUESTION)}`;
  return { text, blocks: [section(text)] };
}

interface Rendered {
  readonly text: string;
  readonly blocks: KnownBlock[];
  readonly shortened: boolean;
}

function renderSentencePart({ sentence }: Sentence): Rendered {
  return { text: sentence, blocks: [section(sentence)], shortened: false };
}

function renderAnswer(answer: Answer, linkTemplate: string | null, longestStep: number): Rendered {
  const warnings = answer.warnings.map((warning) => context(`:warning: ${escapeUpTo(warning, LONGEST_NOTICE)}`));
  switch (answer.kind) {
    case "answered": {
      const { recommendation, passages, uncovered } = answer;
      const checks = recommendation.nextChecks.map((check, index) => {
        const source = sourceOf(check, passages, linkTemplate);
        const room = LONGEST_SECTION - linkText(source.url, source.label).length - ROOM_FOR_NUMBER;
        return { number: index + 1, source, ...cutStep(readStep(check.text), Math.min(longestStep, room)) };
      });
      const missing = uncovered
        .slice(0, MOST_UNCOVERED)
        .map((part) => escapeUpTo(part, LONGEST_NOTICE))
        .join("; ");
      return {
        text: checks
          .map(({ number, parts, source }) => `${number}. ${toMrkdwn(parts)}\n${linkText(source.url, source.label)}`)
          .join("\n"),
        blocks: [
          context(describeIncident(answer)),
          section(escapeUpTo(recommendation.explanation, LONGEST_SECTION)),
          ...checks.map(({ number, parts, source }) => renderStep(number, parts, source)),
          ...(missing === "" ? [] : [context(`No runbook covers: ${missing}`)]),
          ...(recommendation.needsHumanReview
            ? [context(":eyes: A human should judge this before acting on it.")]
            : []),
          ...warnings,
        ],
        shortened: checks.some(({ cut }) => cut),
      };
    }
    case "no_match": {
      const { group, why } = answer.askInstead;
      const ask = `Ask *${escapeLabel(group)}* (${escapeLabel(why)}).`;
      const name = (linked: boolean) =>
        answer.closest.map(({ title, url }) => `• ${linkText(linked ? url : null, title)}`);
      const write = (closest: string[]) =>
        closest.length === 0
          ? `No runbook answers this. ${ask}`
          : ["No runbook clearly answers this; the closest are:", ...closest, ask].join("\n");
      const linked = write(name(true));
      const text = linked.length <= LONGEST_SECTION ? linked : write(name(false));
      return { text, blocks: [section(text), ...warnings], shortened: false };
    }
    case "clarify": {
      const text = escapeUpTo(answer.question, LONGEST_NOTICE * 2);
      const names = answer.services.map(escapeLabel).join(", ");
      return {
        text: `${text} ${names}`,
        blocks: [section(text), renderChoices(answer), ...warnings],
        shortened: false,
      };
    }
    case "not_an_incident":
      return { text: HELP, blocks: [section(HELP), ...warnings], shortened: false };
  }
}

function describeIncident({ classification }: Answer): string {
  const { service, category, severity, ticketId, confidence } = classification;
  const facts = [ticketId, service ?? "unknown service", category, severity, `${Math.round(confidence * 100)} % sure`];
  return facts.flatMap((fact) => (fact === null ? [] : [escapeLabel(fact)])).join(" · ");
}

function sourceOf({ sourceId, quote }: NextCheck, passages: readonly Passage[], linkTemplate: string | null): Source {
  const passage = passages.find((candidate) => candidate.sourceId === sourceId && candidate.text.includes(quote));
  if (passage === undefined) return { label: sourceId, url: null };
  const places = [passage.title, passage.headingTrail.at(-1), `line ${lineOfQuote(passage, quote)}`];
  return {
    label: places.flatMap((place) => (place === undefined ? [] : [plainLabel(place, LONGEST_PLACE)])).join(" · "),
    url: linkToQuote(linkTemplate, passage, quote),
  };
}

function section(text: string): KnownBlock {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}

function context(text: string): KnownBlock {
  return { type: "context", elements: [{ type: "mrkdwn", text, verbatim: true }] };
}
