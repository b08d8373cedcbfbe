import { styleText } from "node:util";

import { readAsPerson } from "../../tests/fakes/slack/plain-text.ts";
import type { SlackMessageRecord, SlackWorld } from "../../tests/fakes/slack/slack-world.ts";

const WIDTH = 110;

export interface Printer {
  /** A heading, and a line that says what to look for. */
  scene(title: string, remark: string): void;
  /** Messages as a person would see them: time, name, text; who else sees them; replies indented. */
  messages(messages: readonly SlackMessageRecord[]): void;
  note(text: string): void;
}

export function createPrinter(world: SlackWorld, write: (text: string) => void): Printer {
  const nameOf = (id: string) =>
    id === world.bot.userId ? "runbook-bot" : (world.users.find((user) => user.id === id)?.name ?? "Alertmanager");
  return {
    scene(title, remark) {
      write(`\n${styleText("bold", title)}\n${styleText("dim", remark)}\n\n`);
    },
    messages(messages) {
      for (const message of messages) {
        const channel = world.channels.find(({ id }) => id === message.channel)?.name ?? message.channel;
        const isReply = message.thread_ts !== undefined && message.thread_ts !== message.ts;
        const time = new Date(Number(message.ts) * 1000).toISOString().slice(11, 16);
        const seen =
          message.visibleTo === undefined ? "" : styleText("yellow", `  (only ${nameOf(message.visibleTo)} sees this)`);
        const indent = isReply ? "      ┃ " : "  ";
        const head = `${styleText("dim", time)} ${styleText("bold", nameOf(message.user))} ${styleText("dim", `#${channel}`)}${seen}`;
        const text = readAsPerson(message, nameOf).replace(/\*(\S[^*\n]*)\*/g, (_marks, bold: string) =>
          styleText("bold", bold),
        );
        write(
          `${indent}${head}\n${wrap(text)
            .map((line) => `${indent}${line}\n`)
            .join("")}\n`,
        );
      }
    },
    note(text) {
      write(`  ${styleText("italic", text)}\n\n`);
    },
  };
}

/** Breaks long lines at blanks; addresses stay whole. */
function wrap(text: string): string[] {
  return text.split("\n").flatMap((line) => {
    const lines = [""];
    for (const word of line.split(/(?<= )/)) {
      const last = lines.at(-1) ?? "";
      if (last !== "" && last.length + word.length > WIDTH) lines.push(word);
      else lines[lines.length - 1] = last + word;
    }
    return lines;
  });
}
