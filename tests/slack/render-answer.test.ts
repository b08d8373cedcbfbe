import { describe, expect, it } from "vitest";

import type { Answer, GroundedRecommendation } from "../../src/domain.ts";
import { renderQuestion, renderReply } from "../../src/slack/render-answer.ts";
import { exampleClassification, examplePassage } from "../fakes/example-passage.ts";
import { findBrokenMarkup, findLiveTokens, findMessageFault } from "../fakes/slack/check-message.ts";

const TEMPLATE = "https://git.example.test/{path}#L{line}";
const NASTY = "<!channel> <@U0DAN> <https://evil.test|docs> @here & <b>";

const base = {
  classification: exampleClassification(),
  query: "",
  answeredBy: { classification: "rules", recommendation: "extractive" },
  warnings: [] as string[],
  indexVersion: "index-1",
  timings: { classify: 0, retrieve: 0, recommend: 0, total: 0 },
};

interface ExampleAnswer {
  readonly steps: readonly string[];
  readonly title?: string;
  readonly explanation?: string;
  readonly warnings?: string[];
  readonly uncovered?: string[];
  readonly needsHumanReview?: boolean;
}

function exampleAnswer({ steps, title = "Pool", explanation = "The pool is full.", ...rest }: ExampleAnswer): Answer {
  const passage = examplePassage({ title, text: steps.join("\n") });
  const nextChecks = steps.map((text) => ({ text, sourceId: passage.sourceId, quote: text }));
  const recommendation = {
    explanation,
    nextChecks,
    sourceIds: [passage.sourceId],
    needsHumanReview: rest.needsHumanReview ?? false,
  } as unknown as GroundedRecommendation;
  const { warnings = [], uncovered = [] } = rest;
  return { ...base, warnings, kind: "answered", recommendation, passages: [passage], uncovered };
}

interface Element {
  readonly type: string;
  readonly text?: string;
  readonly url?: string;
  readonly style?: { readonly code?: boolean };
  readonly elements?: readonly Element[];
}

/** Every literal text of the rich text blocks, joined as Slack shows it. */
function richText(blocks: readonly unknown[]): string {
  const walk = ({ text, elements = [] }: Element): string => (text ?? "") + elements.map(walk).join("");
  return (blocks as Element[])
    .filter(({ type }) => type === "rich_text")
    .map(walk)
    .join("");
}

const render = (answer: ExampleAnswer) =>
  renderReply([exampleAnswer(answer)], { linkTemplate: TEMPLATE, answerId: "0123456789ab" });

describe("a reply", () => {
  it("numbers the checks, and links each to its line", () => {
    const { blocks } = render({ steps: ["Count: `poolctl count`.", "Compare: `poolctl limit`."] });

    expect(JSON.stringify(blocks)).toContain(
      "*2.* Compare: `poolctl limit`.\\n<https://git.example.test/checkout-database.md#L6|Pool · First checks · line 6>",
    );
  });

  it("notifies nobody and links nowhere else, whatever text comes in", () => {
    const answer = exampleAnswer({
      steps: [
        `Read ${NASTY}`,
        `Run \`echo ${NASTY}\``,
        `\`\`\`\necho ${NASTY}\n\`\`\``,
        `Mixed *${NASTY}* and \`\`a\`b ${NASTY}\`\``,
      ],
      title: NASTY,
      explanation: NASTY,
      warnings: [NASTY],
      uncovered: [NASTY],
    });

    const message = renderReply([answer], { linkTemplate: TEMPLATE, answerId: "0123456789ab" });
    const question = renderQuestion("U0ALICE", NASTY);

    const { notified, links } = findLiveTokens(message);
    expect(notified).toEqual([]);
    expect(links.every((link) => link.startsWith("https://git.example.test/"))).toBe(true);
    expect(findLiveTokens(question)).toEqual({ notified: ["@U0ALICE", "@U0ALICE"], links: [] });
    const sections = message.blocks.filter(({ type }) => type !== "rich_text");
    expect(findBrokenMarkup({ text: message.text, blocks: sections })).toEqual([]);
  });

  it.each([
    ["a backtick in code", "Run `` echo `date` `` now.", "Run echo `date` now."],
    [
      "names that look like bold and italics",
      "Look at __tests__ and *.md, then *all*.",
      "Look at __tests__ and *.md, then *all*.",
    ],
    ["an emoji's name", "Open host:warning: now", "Open host:warning: now"],
    ["a fence within code", "````\n```\ninner\n```\n````", "```\ninner\n```"],
  ])("keeps every byte of %s", (_name, step, shown) => {
    const { blocks } = render({ steps: [step] });

    expect(richText(blocks)).toContain(shown);
    expect(richText(blocks)).not.toMatch(/\p{Cf}/u);
  });

  it("keeps commands, addresses and mails as they are in plain sections", () => {
    const step = "Mail `ops@example.test`, then **restart** `kubectl -n shop_eu get pods | grep '*'`.";

    const { blocks } = render({ steps: [step] });

    expect(JSON.stringify(blocks)).toContain(
      "*1.* Mail `ops@example.test`, then *restart* `kubectl -n shop_eu get pods | grep '*'`.",
    );
    expect(findMessageFault({ text: "x", blocks })).toBeNull();
  });

  it("keeps a command in a quoted line visible", () => {
    expect(JSON.stringify(render({ steps: ["> First `poolctl drain`."] }).blocks)).toContain(
      "&gt; First `poolctl drain`.",
    );
  });

  it("fits four very long checks and shows them all, with the warnings below", () => {
    const long = Array.from({ length: 4 }, (_, index) => `Check ${index}: ${"word & <word> ".repeat(230)}`);

    const { text, blocks } = render({ steps: long, warnings: ["Answered without the model."], needsHumanReview: true });

    expect(JSON.stringify({ text, blocks }).length).toBeLessThanOrEqual(13_000);
    expect(findMessageFault({ text, blocks })).toBeNull();
    expect(findBrokenMarkup({ text, blocks })).toEqual([]);
    const shown = JSON.stringify(blocks);
    for (const index of [0, 1, 2, 3]) expect(shown).toContain(`Check ${index}:`);
    expect(shown).toMatch(/A human should judge[\s\S]*Answered without the model[\s\S]*Shortened/);
  });

  it("measures after escaping", () => {
    const { blocks } = render({ steps: ["&".repeat(2990)] });

    expect(findMessageFault({ text: "x", blocks })).toBeNull();
  });

  it("shows a long command whole or not at all", () => {
    const command = `rm -r /var/lib/pool/${"x".repeat(3000)}`;

    const { text, blocks } = render({ steps: [`Then run \`${command}\`.`] });

    expect(text).not.toContain("rm -r");
    expect(JSON.stringify(blocks)).toMatch(/Then run {2}…[\s\S]*Shortened/);
  });

  it("cuts no character in two", () => {
    const { text, blocks } = render({ steps: ["😀".repeat(3000)], title: "😀".repeat(300) });

    expect(JSON.stringify({ text, blocks }).isWellFormed()).toBe(true);
    expect(JSON.stringify({ text, blocks })).not.toMatch(/\\ud[89ab]/i);
  });

  it("strips invisible letters from a title", () => {
    const { text } = render({ steps: ["Count."], title: "Po\u{200B}ol\u{202E} full" });

    expect(text).toContain("Pool full · First checks · line 5");
  });

  it("says what no runbook covers", () => {
    expect(JSON.stringify(render({ steps: ["Count."], uncovered: ["the mail queue"] }).blocks)).toContain(
      "No runbook covers: the mail queue",
    );
  });

  it("names whom to ask, and the closest runbooks, when none answers", () => {
    const answer: Answer = {
      ...base,
      kind: "no_match",
      closest: [{ sourceId: "a", title: "A | B", url: "https://git.example.test/a.md" }],
      askInstead: { group: "commerce-platform", why: "they own checkout" },
    };

    const { text } = renderReply([answer], { linkTemplate: TEMPLATE, answerId: "0123456789ab" });

    expect(text).toBe(
      "No runbook clearly answers this; the closest are:\n• <https://git.example.test/a.md|A ¦ B>\nAsk *commerce-platform* (they own checkout).",
    );
  });
});
