import { describe, expect, it } from "vitest";

import { createMetrics } from "../../src/operate/metrics.ts";
import { PEOPLE } from "../fakes/bot-world.ts";
import { createProcessWorld } from "../fakes/bot-process.ts";
import { findFreePort } from "../fakes/slack/find-free-port.ts";

const { alice } = PEOPLE;

async function look(port: string, path: string) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return { status: response.status, text: await response.text() };
}

describe("the operator's port", { timeout: 60_000 }, () => {
  it("says whether questions are answered, and counts them without naming anybody", async () => {
    const { slack, start } = await createProcessWorld();
    const port = String(await findFreePort());
    const bot = await start({ HEALTH_PORT: port });
    await bot.saying('"ready"');

    expect(await look(port, "/readyz")).toEqual({ status: 200, text: "ready\n" });
    await slack.say(alice, "C0INCIDENT", "<@U0RUNBOT> checkout pool exhausted");
    await bot.saying('"question_handled"');
    const { text } = await look(port, "/metrics");

    expect(text).toContain('runbook_questions_total{kind="mention",outcome="answered"} 1');
    expect(text).toContain('runbook_slack_calls_total{method="chat.postMessage",outcome="ok"} 1');
    expect(text).toMatch(/runbook_answer_seconds_bucket\{kind="mention",le="\+Inf"\} 1/);
    expect(text).toMatch(/runbook_open_questions 0/);
    expect(text).toMatch(/runbook_policy_good 1/);
    expect(text).not.toMatch(/U0ALICE|C0INCIDENT|checkout/);
  });

  it("is alive and not ready while it stands by, and when Slack refuses the token", async () => {
    const { slack, start } = await createProcessWorld();
    const [first, second] = [String(await findFreePort()), String(await findFreePort())];
    const bot = await start({ HEALTH_PORT: first });
    await bot.saying('"ready"');
    const other = await start({ HEALTH_PORT: second });
    await other.saying("standing_by");
    slack.world.bot.botToken = "revoked";
    await slack.say(alice, "C0INCIDENT", "<@U0RUNBOT> checkout pool exhausted");
    await bot.saying('"question_waits"');

    expect((await look(second, "/healthz")).status).toBe(200);
    expect(await look(second, "/readyz")).toEqual({ status: 503, text: "starting, or standing by\n" });
    expect(await look(first, "/readyz")).toEqual({ status: 503, text: "Slack refuses the bot token\n" });
    expect((await look(first, "/elsewhere")).status).toBe(404);
  });
});

describe("the metrics", () => {
  it("are written as Prometheus reads them", async () => {
    const metrics = createMetrics();
    metrics.count("runbook_questions_total", { kind: 'a"b', outcome: "x" });
    metrics.observeSeconds("runbook_answer_seconds", { kind: "alert" }, 0.3);
    metrics.gauge("runbook_broken", "Can't be read.", () => Promise.reject(new Error("no")));

    const lines = (await metrics.render()).split("\n");

    expect(lines).toContain('runbook_questions_total{kind="a_b",outcome="x"} 1');
    expect(lines).toContain('runbook_answer_seconds_bucket{kind="alert",le="0.25"} 0');
    expect(lines).toContain('runbook_answer_seconds_bucket{kind="alert",le="0.5"} 1');
    expect(lines).toContain('runbook_answer_seconds_sum{kind="alert"} 0.3');
    expect(lines).toContain("runbook_broken NaN");
    expect(lines.filter((line) => !/^(?:#.*|[a-z_]+(?:\{[^{}]*\})? \S+|)$/.test(line))).toEqual([]);
  });
});
