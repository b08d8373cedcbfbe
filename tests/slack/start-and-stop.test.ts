import { createHmac } from "node:crypto";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import type { Config } from "../../src/config.ts";
import { createLogger } from "../../src/logger.ts";
import { createSlackBot } from "../../src/slack/create-slack-bot.ts";
import { openState } from "../../src/store/open-state.ts";
import { findFreePort } from "../fakes/slack/find-free-port.ts";
import { ACCESS, createBotWorld, exampleWorld, PEOPLE } from "../fakes/bot-world.ts";
import { createSlackStandIn } from "../fakes/slack/slack-stand-in.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";

const { alice } = PEOPLE;
const POOL = "checkout pool connections exhausted";

/** A bot without a pipeline: its settings are what the test is about. */
async function exampleBotWith(settings: Partial<Config["slack"]> = {}) {
  const world = exampleWorld();
  const slack = await createSlackStandIn(world);
  const state = openState(join(temporaryDirectory(), "state.sqlite"));
  onTestFinished(async () => {
    state.close();
    await slack.stop();
  });
  const { botToken, signingSecret } = world.bot;
  const port = await findFreePort();
  const asked: string[] = [];
  const bot = await createSlackBot({
    settings: { botToken, appToken: null, signingSecret, apiUrl: slack.apiUrl, port, ...settings },
    policy: () => parseAccessFile(ACCESS, "access.yaml"),
    answer: async ({ text }) => {
      asked.push(text);
      throw new Error("this pipeline answers nothing");
    },
    state,
    audit: { record: async () => undefined },
    log: createLogger("silent"),
  });
  return { bot, signingSecret, origin: `http://127.0.0.1:${port}`, port, asked };
}

async function startHttpBot() {
  const started = await exampleBotWith();
  await started.bot.start();
  onTestFinished(() => started.bot.stop(1000));
  return {
    ...started,
    send: (body: object, secret: string, at = Date.now()) => post(started.origin, body, secret, at),
  };
}

async function post(origin: string, payload: object, secret: string, at: number): Promise<number> {
  const body = JSON.stringify(payload);
  const headers = { ...sign(body, secret, at), "content-type": "application/json" };
  return (await fetch(`${origin}/slack/events`, { method: "POST", body, headers })).status;
}

function sign(body: string, secret: string, at: number): Record<string, string> {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return { "x-slack-request-timestamp": timestamp, "x-slack-signature": `v0=${signature}` };
}

describe("starting", () => {
  it("names a bot token that Slack refuses", async () => {
    await expect(exampleBotWith({ botToken: "wrong" })).rejects.toMatchObject({
      kind: "dependency",
      message: "Slack refused the bot token (invalid_auth); check SLACK_BOT_TOKEN",
    });
  });

  it("does not blame the token when Slack can't be reached", async () => {
    const apiUrl = `http://127.0.0.1:${await findFreePort()}/api/`;

    await expect(exampleBotWith({ apiUrl })).rejects.toMatchObject({
      kind: "dependency",
      message: expect.stringMatching(/^Slack could not say who the bot is \(ECONNREFUSED\)/) as string,
    });
  });

  it("names an app-level token that Slack refuses", async () => {
    const { bot } = await exampleBotWith({ appToken: "wrong" });

    await expect(bot.start()).rejects.toMatchObject({
      kind: "dependency",
      message: expect.stringMatching(/^Slack refused the app-level token \(invalid_auth\)/) as string,
    });
  });
});

describe("starting on a port that is taken", () => {
  it("names the setting", async () => {
    const { port } = await startHttpBot();
    const { bot } = await exampleBotWith({ port });

    await expect(bot.start()).rejects.toThrow(`port ${port} is taken; set PORT to a free one`);
  });
});

describe("running", () => {
  it("connects anew when Slack has too many sockets of it", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    slack.disconnectSocket("too_many_websockets");
    await slack.waitFor(() => slack.calls.filter(({ method }) => method === "apps.connections.open").length === 2);
    await slack.connectSocket();
    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => slack.posted.length > 0);

    expect(slack.posted).toHaveLength(1);
  });

  it("refuses a delivery that is not signed by Slack, or is old", async () => {
    const { send, signingSecret } = await startHttpBot();
    const event = { type: "event_callback", event_id: "Ev1", team_id: "T0ACME", event: { type: "app_mention" } };

    expect(await send(event, "wrong")).toBe(401);
    expect(await send(event, signingSecret, Date.now() - 600_000)).toBe(401);
  });

  it("accepts Slack's notice that it limits our events, and nothing else that it does not know", async () => {
    const { send, signingSecret } = await startHttpBot();

    expect(await send({ type: "app_rate_limited", team_id: "T0ACME" }, signingSecret)).toBe(200);
    expect(await send({ type: "something_new", team_id: "T0ACME" }, signingSecret)).toBe(404);
  });

  it("says at /healthz that it runs", async () => {
    const { origin } = await startHttpBot();

    expect((await fetch(`${origin}/healthz`)).status).toBe(200);
  });
});

describe("stopping", () => {
  it("waits for the answer that is being written", async () => {
    let asked = false;
    const { slack, bot } = await createBotWorld({
      transport: "socket",
      around: (answer) => async (message, audience) => {
        asked = true;
        await sleep(500);
        return answer(message, audience);
      },
    });
    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => asked);

    await bot.stop(10_000);

    expect(slack.posted).toHaveLength(1);
  });

  it("waits no longer than its deadline", async () => {
    let asked = false;
    const { slack, bot } = await createBotWorld({
      transport: "socket",
      around: () => () => {
        asked = true;
        return new Promise(() => undefined);
      },
    });
    await slack.say(alice, "C0INCIDENT", `<@U0RUNBOT> ${POOL}`);
    await slack.waitFor(() => asked);

    await bot.stop(300);

    expect(slack.posted).toHaveLength(0);
  });
});

describe("a signed command", () => {
  const COMMAND = {
    command: "/runbook",
    text: POOL,
    team_id: "T0ACME",
    user_id: alice,
    channel_id: "C0INCIDENT",
    trigger_id: "trigger.once",
    response_url: "http://127.0.0.1:1/nowhere",
  };

  /** Sends it three times, as a replay would; gives Slack's view and what reached the pipeline. */
  async function sendThrice(fields: Partial<typeof COMMAND>) {
    const { asked, origin, signingSecret } = await startHttpBot();
    const body = new URLSearchParams({ ...COMMAND, ...fields }).toString();
    const headers = { ...sign(body, signingSecret, Date.now()), "content-type": "application/x-www-form-urlencoded" };
    const send = async () => (await fetch(`${origin}/slack/events`, { method: "POST", body, headers })).status;
    const statuses = await Promise.all([send(), send(), send()]);
    await sleep(500);
    return { statuses, asked };
  }

  it("is acknowledged each time that it is sent, and answered once", async () => {
    expect(await sendThrice({})).toEqual({ statuses: [200, 200, 200], asked: [POOL] });
  });

  it("of another workspace is acknowledged and not heard", async () => {
    expect(await sendThrice({ team_id: "T0OTHER" })).toEqual({ statuses: [200, 200, 200], asked: [] });
  });
});
