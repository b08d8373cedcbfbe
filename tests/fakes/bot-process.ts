import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { onTestFinished } from "vitest";

import { ACCESS, exampleWorld } from "./bot-world.ts";
import { findFreePort } from "./slack/find-free-port.ts";
import { createSlackStandIn, type StandInOptions } from "./slack/slack-stand-in.ts";
import { temporaryDirectory, writeFiles } from "./temporary-world.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const POOL =
  "# Checkout pool exhausted\n\n## Checks\n\n1. Count the checkout pool connections: `checkoutctl pool count`.\n";

export type BotProcess = Awaited<ReturnType<Awaited<ReturnType<typeof createProcessWorld>>["start"]>>;

/** A data directory and a stand-in Slack, for the bot as a process of its own that a test can kill and start again. */
export async function createProcessWorld(options: StandInOptions = {}) {
  const directory = temporaryDirectory();
  writeFiles(directory, { "runbooks/checkout/pool.md": POOL, "access.yaml": ACCESS });
  const slack = await createSlackStandIn(exampleWorld(), options);
  onTestFinished(() => slack.stop());
  const port = String(await findFreePort());
  const { bot } = slack.world;
  slack.connectHttp(`http://127.0.0.1:${port}/slack/events`);

  /** Does not wait: `saying("\"ready\"")` does. */
  async function start(env: Record<string, string> = {}) {
    const child = spawn(process.execPath, [MAIN], {
      cwd: directory,
      env: {
        SLACK_BOT_TOKEN: bot.botToken,
        SLACK_SIGNING_SECRET: bot.signingSecret,
        SLACK_API_URL: slack.apiUrl,
        PORT: port,
        PATH: process.env["PATH"] ?? "",
        ...env,
      },
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
    const ended = once(child, "exit").then(([code]) => code as number | null);
    return {
      ended,
      output: () => output,
      async saying(word: string, timeoutMs = 30_000) {
        for (const until = Date.now() + timeoutMs; !output.includes(word); await sleep(20)) {
          if (Date.now() > until) throw new Error(`the bot never said ${word}; it said: ${output.slice(-2000)}`);
        }
      },
      async kill(signal: "SIGKILL" | "SIGTERM" = "SIGKILL") {
        child.kill(signal);
        return ended;
      },
    };
  }
  return { slack, directory, start };
}
