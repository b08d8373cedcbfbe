import { linkToSource } from "../answering/link-to-source.ts";
import type { Answer } from "../domain.ts";
import { linkText } from "./escape-text.ts";
import { LONGEST_SECTION, type SlackMessage } from "./fit-message.ts";
import { renderSentence } from "./render-answer.ts";

interface Found {
  readonly title: string;
  readonly url: string | null;
}

/** `/runbook search`: the runbooks that fit, each once, best first, and none of their words. */
export function renderLinks(answer: Answer, linkTemplate: string | null): SlackMessage {
  const found = findLinks(answer, linkTemplate);
  if (found.length === 0) return renderSentence("No runbook that you may open fits these words.");
  const write = (linked: boolean) =>
    ["Runbooks that fit:", ...found.map(({ title, url }) => `• ${linkText(linked ? url : null, title)}`)].join("\n");
  const text = write(true);
  return renderSentence(text.length <= LONGEST_SECTION ? text : write(false));
}

function findLinks(answer: Answer, linkTemplate: string | null): Found[] {
  switch (answer.kind) {
    case "answered": {
      const bySource = new Map(answer.passages.toReversed().map((passage) => [passage.sourceId, passage]));
      const sources = new Set(answer.passages.map(({ sourceId }) => sourceId));
      return [...sources].flatMap((sourceId) => {
        const passage = bySource.get(sourceId);
        if (passage === undefined) return [];
        const { title, path, startLine: line, commit } = passage;
        return [{ title, url: linkToSource(linkTemplate, { path, line, commit }) }];
      });
    }
    case "no_match":
      return [...answer.closest];
    case "clarify":
    case "not_an_incident":
      return [];
  }
}
