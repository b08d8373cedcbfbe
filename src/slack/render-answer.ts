import type { KnownBlock } from "@slack/types";

import { lineOfQuote, linkToQuote } from "../answering/link-to-source.ts";
import type { Answer, GroundedRecommendation, NextCheck, Passage } from "../domain.ts";
import { escapeLabel, escapeUpTo, linkText, plainLabel } from "./escape-text.ts";
import { fitMessage, LONGEST_SECTION, type SlackMessage } from "./fit-message.ts";
import { cutStep, readStep } from "./read-step.ts";
import { feedbackButtons } from "./render-feedback.ts";
import { renderStep, toMrkdwn, type Source } from "./render-step.ts";

export type { SlackMessage } from "./fit-message.ts";

const LONGEST_QUESTION = 600;
const LONGEST_NOTICE = 200;
const LONGEST_PLACE = 60;
const MOST_CHOICES = 15;
const MOST_UNCOVERED = 5;
const ROOM_FOR_NUMBER = 20;
const LONGEST_BUTTON = 75;

export const SHOW_MORE = "show_more";
/** Begins the action id of each button that stands for a service. */
export const CHOOSE_SERVICE = "choose_service";

export const HELP = [
  "Tell me what fails and what the logs or the alert say, and I answer with the next checks from the runbooks that you " +
    'may read. For example: `/runbook checkout fails after the deploy, logs say "connection refused"`',
  "• `/runbook private …` answers you alone, `/runbook search …` gives you links only, `/runbook status` says what you may see.",
  "• In a thread, mention me, or choose *Find runbook* from a message's menu. You can also write to me directly.",
].join("\n");

/** One of our own fixed sentences, in Slack's notation already. */
export interface Sentence {
  readonly sentence: string;
}

export interface RenderSettings {
  readonly linkTemplate: string | null;
  /** What buttons carry: an id, and never a word of a runbook or a question. */
  readonly answerId: string;
  /** There are checks that found no room. */
  readonly hasMore?: boolean;
  /** Ask how it was? */
  readonly isRated?: boolean;
}

/** Answers and sentences as one message for the same readers; every text is escaped here, once. */
export function renderReply(parts: readonly (Answer | Sentence)[], settings: RenderSettings): SlackMessage {
  return fitMessage((longestStep) => {
    const shown = parts.map((part) =>
      "sentence" in part ? renderSentencePart(part) : renderAnswer(part, settings, longestStep),
    );
    // One pair of thumbs a message, for all of it.
    const isAnswered = parts.some((part) => "kind" in part && part.kind === "answered");
    const thumbs = isAnswered && settings.isRated ? [feedbackButtons(settings.answerId)] : [];
    const more = settings.hasMore === true ? [moreButton(settings.answerId)] : [];
    return {
      text: shown.map(({ text }) => text).join("\n"),
      blocks: [...shown.flatMap(({ blocks }) => blocks), ...more, ...thumbs],
      shortened: shown.some(({ shortened }) => shortened),
    };
  });
}

export function renderSentence(sentence: string): SlackMessage {
  return renderReply([{ sentence }], { linkTemplate: null, answerId: "" });
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

function renderAnswer(answer: Answer, { linkTemplate, answerId }: RenderSettings, longestStep: number): Rendered {
  const warnings = answer.warnings.map((warning) => context(`:warning: ${escapeUpTo(warning, LONGEST_NOTICE)}`));
  switch (answer.kind) {
    case "answered": {
      const { recommendation, passages, uncovered } = answer;
      const checks = renderChecks(recommendation.nextChecks, passages, linkTemplate, { first: 1, longestStep });
      const missing = uncovered
        .slice(0, MOST_UNCOVERED)
        .map((part) => escapeUpTo(part, LONGEST_NOTICE))
        .join("; ");
      return {
        text: checks.text,
        blocks: [
          context(describeIncident(answer)),
          section(escapeUpTo(recommendation.explanation, LONGEST_SECTION)),
          ...checks.blocks,
          ...(missing === "" ? [] : [context(`No runbook covers: ${missing}`)]),
          ...(recommendation.needsHumanReview ? [HUMAN_REVIEW] : []),
          ...warnings,
        ],
        shortened: checks.shortened,
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
      const services = answer.services.slice(0, MOST_CHOICES);
      const question = escapeUpTo(answer.question, LONGEST_NOTICE * 2);
      const text = [question, ...services.map((service) => `• ${escapeLabel(service)}`)].join("\n");
      return { text, blocks: [section(question), choiceButtons(services, answerId), ...warnings], shortened: false };
    }
    case "not_an_incident":
      return { text: HELP, blocks: [section(HELP), ...warnings], shortened: false };
  }
}

function moreButton(answerId: string): KnownBlock {
  const text = { type: "plain_text" as const, text: "Show more steps to me", emoji: false };
  return { type: "actions", elements: [{ type: "button", action_id: SHOW_MORE, text, value: answerId }] };
}

/** What an answer had no room for, numbered on from there. */
export function renderMore(
  { recommendation, passages }: Extract<Answer, { kind: "answered" }>,
  more: readonly GroundedRecommendation[],
  linkTemplate: string | null,
): SlackMessage {
  const checks = more.flatMap(({ nextChecks }) => nextChecks);
  const first = recommendation.nextChecks.length + 1;
  const needsHuman = more.some(({ needsHumanReview }) => needsHumanReview);
  return fitMessage((longestStep) => {
    const shown = renderChecks(checks, passages, linkTemplate, { first, longestStep });
    return {
      ...shown,
      blocks: [context("Only you see this."), ...shown.blocks, ...(needsHuman ? [HUMAN_REVIEW] : [])],
    };
  });
}

/** The services in their order: which one is meant is looked up by the answer's id and the place in this list. */
function choiceButtons(services: readonly string[], answerId: string): KnownBlock {
  return {
    type: "actions",
    elements: services.map((service, index) => ({
      type: "button",
      action_id: `${CHOOSE_SERVICE}:${index}`,
      text: { type: "plain_text", text: plainLabel(service, LONGEST_BUTTON - 1), emoji: false },
      value: `${answerId}:${index}`,
    })),
  };
}

function renderChecks(
  nextChecks: readonly NextCheck[],
  passages: readonly Passage[],
  linkTemplate: string | null,
  { first, longestStep }: { readonly first: number; readonly longestStep: number },
): Rendered {
  const checks = nextChecks.map((check, index) => {
    const source = sourceOf(check, passages, linkTemplate);
    const room = LONGEST_SECTION - linkText(source.url, source.label).length - ROOM_FOR_NUMBER;
    return { number: first + index, source, ...cutStep(readStep(check.text), Math.min(longestStep, room)) };
  });
  return {
    text: checks
      .map(({ number, parts, source }) => `${number}. ${toMrkdwn(parts)}\n${linkText(source.url, source.label)}`)
      .join("\n"),
    blocks: checks.map(({ number, parts, source }) => renderStep(number, parts, source)),
    shortened: checks.some(({ cut }) => cut),
  };
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

const HUMAN_REVIEW = context(":eyes: A human should judge this before acting on it.");
