import type { KnownBlock } from "@slack/types";

/** A message as Slack takes it: blocks, and the text for notifications and for clients without blocks. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Slack's limits, measured after escaping: a section's text, a message's blocks, and the two of them together. */
export const LONGEST_SECTION = 3000;
const LARGEST_MESSAGE = 13_000;
const MOST_BLOCKS = 50;
const LONGEST_TEXT = 3500;
/** Room for a step's number, its label and its address beside its text. */
const STEP_LIMITS = [2500, 1600, 1000, 600, 300, 120];
const SHORTENED: KnownBlock = {
  type: "context",
  elements: [{ type: "mrkdwn", text: "Shortened: the linked runbook has the rest.", verbatim: true }],
};

/**
 * The longest form of a message that Slack takes. Steps get shorter, all of them alike: none is left out, and neither is
 * a warning below them.
 */
export function fitMessage(
  render: (longestStep: number) => SlackMessage & { readonly shortened: boolean },
): SlackMessage {
  const fits = ({ text, blocks }: SlackMessage) =>
    blocks.length <= MOST_BLOCKS && JSON.stringify({ text, blocks }).length <= LARGEST_MESSAGE;
  let message: SlackMessage = { text: "", blocks: [] };
  for (const limit of STEP_LIMITS) {
    const { text, blocks, shortened } = render(limit);
    message = { text: firstLines(text), blocks: shortened ? [...blocks, SHORTENED] : blocks };
    if (fits(message)) return message;
  }
  const blocks = [...message.blocks];
  while (blocks.length > 1 && !fits({ ...message, blocks: [...blocks, SHORTENED] })) blocks.pop();
  return { ...message, blocks: [...blocks, SHORTENED] };
}

/** Whole lines only, so that no link, entity or command is cut. */
function firstLines(text: string): string {
  if (text.length <= LONGEST_TEXT) return text;
  const end = text.lastIndexOf("\n", LONGEST_TEXT);
  const lines = end > 0 ? text.slice(0, end) : "";
  return (lines.match(/```/g)?.length ?? 0) % 2 === 1 ? `${lines}\n\`\`\`\n…` : `${lines}\n…`;
}
