import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Finding } from "../../src/operate/finding.ts";
import { ACCESS, exampleWorld } from "../fakes/bot-world.ts";
import { findFreePort } from "../fakes/slack/find-free-port.ts";
import { createSlackStandIn } from "../fakes/slack/slack-stand-in.ts";
import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const SCRIPTS = join(import.meta.dirname, "../../scripts");
const POOL = "# Checkout pool exhausted\n\n1. Count the connections: `checkoutctl pool count`.\n";

async function createPatient() {
  const directory = temporaryDirectory();
  writeFiles(directory, { "runbooks/checkout/pool.md": POOL, "access.yaml": ACCESS });
  const slack = await createSlackStandIn(exampleWorld());
  onTestFinished(() => slack.stop());
  const { bot } = slack.world;
  const env = {
    PATH: process.env["PATH"] ?? "",
    SLACK_API_URL: slack.apiUrl,
    SLACK_BOT_TOKEN: bot.botToken,
    SLACK_APP_TOKEN: bot.appToken,
  };
  const run = (script: string, more: Record<string, string>, ...args: string[]) =>
    promisify(execFile)(process.execPath, [join(SCRIPTS, script), ...args], {
      cwd: directory,
      env: { ...env, ...more },
    }).then(
      ({ stdout }) => ({ code: 0, stdout }),
      (error: { code: number; stdout: string }) => error,
    );
  return {
    slack,
    reindex: () => run("reindex.ts", {}),
    doctor: async (more: Record<string, string> = {}) => {
      const { code, stdout } = await run("doctor.ts", more, "--json");
      const { healthy, findings } = JSON.parse(stdout) as { healthy: boolean; findings: Finding[] };
      return { code, healthy, findings, bad: findings.filter(({ state }) => state === "failure") };
    },
    tell: () => run("doctor.ts", {}),
  };
}

describe("npm run doctor", { timeout: 60_000 }, () => {
  it("finds nothing broken in a bot that works, and posts nothing", async () => {
    const { slack, reindex, doctor, tell } = await createPatient();
    await reindex();

    const { code, healthy, bad, findings } = await doctor();

    expect({ code, healthy, bad }).toEqual({ code: 0, healthy: true, bad: [] });
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining([
        "configuration",
        "access file",
        "index",
        "bot token",
        "app token",
        "scopes",
        "channels",
        "time",
      ]),
    );
    expect((await tell()).stdout).toMatch(/^ok {7}bot token {8}runbook-bot in acme$/m);
    expect(slack.posted).toEqual([]);
  });

  it("names what is broken, each with its fix", async () => {
    const { slack, doctor } = await createPatient();
    slack.world.bot.scopes = slack.world.bot.scopes.filter((scope) => scope !== "usergroups:read");
    slack.kickBot("C0PAY");

    const { code, bad, findings } = await doctor({ SLACK_APP_TOKEN: "xapp-wrong" });

    expect(code).toBe(1);
    expect(bad.map(({ check, what }) => `${check}: ${what}`)).toEqual([
      "index: there is no index yet; run: npm run reindex",
      "app token: Slack refuses Socket Mode (invalid_auth)",
      "scopes: missing: usergroups:read",
    ]);
    expect(findings.filter(({ state, fix }) => state !== "ok" && state !== "note" && fix === null)).toEqual([]);
    expect(findings.find(({ check }) => check === "channels")?.what).toContain("C0PAY");
  });

  it("does not take a broken token or a network that is down for the other", async () => {
    const { doctor } = await createPatient();

    expect((await doctor({ SLACK_BOT_TOKEN: "xoxb-wrong" })).bad.map(({ what }) => what)).toContain(
      "Slack refuses it (invalid_auth)",
    );
    const { bad } = await doctor({ SLACK_API_URL: `http://127.0.0.1:${await findFreePort()}/api/` });
    expect(bad.map(({ what }) => what)).toContain("Slack could not be asked (ECONNREFUSED)");
  });
});
