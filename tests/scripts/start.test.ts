import { spawn } from "node:child_process";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import { ACCESS, exampleWorld, PEOPLE } from "../fakes/bot-world.ts";
import { createSlackStandIn } from "../fakes/slack/slack-stand-in.ts";
import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const MAIN = join(import.meta.dirname, "../../src/main.ts");
const POOL =
  "# Checkout pool exhausted\n\n## Checks\n\n1. Count the checkout pool connections: `checkoutctl pool count`.\n";

async function startBot(env: Record<string, string>) {
  const directory = temporaryDirectory();
  writeFiles(directory, { "runbooks/checkout/pool.md": POOL, "access.yaml": ACCESS });
  const slack = await createSlackStandIn(exampleWorld());
  onTestFinished(() => slack.stop());
  const { bot } = slack.world;
  const settings = {
    SLACK_BOT_TOKEN: bot.botToken,
    SLACK_SIGNING_SECRET: bot.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    PATH: process.env["PATH"] ?? "",
  };
  const child = spawn(process.execPath, [MAIN], { cwd: directory, env: { ...settings, ...env } });
  onTestFinished(() => void child.kill("SIGKILL"));
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => (output += data.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const saying = async (word: string) => {
    while (!output.includes(word)) await new Promise((resolve) => setTimeout(resolve, 30));
  };
  return { directory, slack, child, ended, saying, output: () => output };
}

const freePort = () => String(22_000 + (process.pid % 500) * 20 + Math.floor(Math.random() * 20));

describe("npm start", { timeout: 60_000 }, () => {
  it("makes the index, answers over HTTP, and drains on SIGTERM", async () => {
    const port = freePort();
    const { slack, child, ended, saying } = await startBot({ PORT: port });
    await saying('"ready"');
    slack.connectHttp(`http://127.0.0.1:${port}/slack/events`);
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);

    await slack.type(PEOPLE.alice, "C0INCIDENT", "checkout pool exhausted, connections refused");
    await slack.waitFor(() => slack.posted.length === 2, 30_000);
    child.kill("SIGTERM");

    expect(await ended).toBe(0);
    expect(JSON.stringify(slack.posted)).toContain("checkoutctl pool count");
  });

  it("follows the access file while it runs", async () => {
    const { directory, slack, saying, output } = await startBot({ SLACK_APP_TOKEN: exampleWorld().bot.appToken });
    await saying('"ready"');
    await slack.connectSocket();
    const closed = ACCESS.replace("readers: [commerce-oncall]", "readers: []");

    writeFiles(directory, { "access.yaml": closed });
    await saying('"policy_changed"');
    await slack.type(PEOPLE.alice, "C0INCIDENT", "checkout pool exhausted, connections refused");
    await slack.waitFor(() => slack.posted.length > 0, 30_000);
    writeFiles(directory, { "access.yaml": closed.replace("admins: [commerce-platform]", "admins: [nobody]") });
    await saying('"policy_refused"');

    expect(JSON.stringify(slack.posted)).not.toContain("checkoutctl");
    expect(output()).toContain('"alarm":"policy_bad"');
  });

  it("answers in Socket Mode when there is an app token", async () => {
    const { slack, child, ended } = await startBot({ SLACK_APP_TOKEN: exampleWorld().bot.appToken });
    await slack.connectSocket();

    await slack.type(PEOPLE.alice, "C0INCIDENT", "checkout pool exhausted, connections refused");
    await slack.waitFor(() => slack.posted.length === 2, 30_000);
    child.kill("SIGTERM");

    expect(await ended).toBe(0);
  });

  it.each([
    [
      "no token at all",
      { SLACK_BOT_TOKEN: "", SLACK_SIGNING_SECRET: "" },
      2,
      /^SLACK_BOT_TOKEN: missing[^\n]*\nSLACK_APP_TOKEN or SLACK_SIGNING_SECRET[^\n]*\n$/,
    ],
    ["tokens in each other's place", { SLACK_BOT_TOKEN: "xapp-1-x" }, 2, /^SLACK_BOT_TOKEN: is an app-level token/],
    ["a bad port", { PORT: "http" }, 2, /^PORT: must be a number\n$/],
    ["a missing access file", { ACCESS_FILE: "nowhere.yaml" }, 2, /^nowhere\.yaml: can't be read \(ENOENT\)/],
    [
      "a token that Slack refuses",
      { SLACK_BOT_TOKEN: "xoxb-wrong" },
      1,
      /Slack refused the bot token \(invalid_auth\)/,
    ],
    ["no runbooks", { RUNBOOKS_DIR: "nowhere" }, 1, /nowhere: can't be read; set RUNBOOKS_DIR/],
  ])("ends with one clear line and no stack: %s", async (_name, env, code, line) => {
    const { ended, output } = await startBot({ PORT: freePort(), LOG_LEVEL: "silent", ...env });

    expect(await ended).toBe(code);
    expect(output()).toMatch(line);
    expect(output()).not.toMatch(/^\s+at /m);
  });
});
