import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import { readConfig } from "../../src/config.ts";
import { hideSecrets } from "../../src/logger.ts";
import { isSlacksAddress } from "../../src/slack/check-response-url.ts";
import { createBotWorld, exampleWorld, PEOPLE, type BotWorld } from "../fakes/bot-world.ts";

const { alice, carol } = PEOPLE;
const QUIET_MS = 1200;

function signed({ slack }: BotWorld, body: string, at: number, secret = slack.world.bot.signingSecret) {
  const timestamp = String(Math.floor(at / 1000));
  const signature = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    method: "POST",
    headers: {
      "content-type": body.startsWith("{") ? "application/json" : "application/x-www-form-urlencoded",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${signature}`,
    },
    body,
  };
}

function commandBody({ slack }: BotWorld, fields: Record<string, string> = {}): string {
  return new URLSearchParams({
    command: "/runbook",
    team_id: slack.world.teamId,
    channel_id: "C0INCIDENT",
    user_id: carol,
    text: "ledger drift of payments",
    trigger_id: "trigger.1",
    response_url: `${new URL(slack.apiUrl).origin}/response/none`,
    ...fields,
  }).toString();
}

describe("a signed request", () => {
  it.each([
    ["of six minutes ago", -6, 401],
    ["of six minutes from now", 6, 200],
  ])("%s is not heard", async (_when, minutes, status) => {
    const world = await createBotWorld();

    const request = signed(world, commandBody(world), Date.now() + minutes * 60_000);
    const response = await fetch(world.address, request);
    await world.slack.settle(QUIET_MS);

    expect(response.status).toBe(status);
    expect(world.slack.posted).toEqual([]);
  });

  it("is answered once, however often somebody sends the same again", async () => {
    const world = await createBotWorld();
    const request = signed(world, commandBody(world), Date.now());

    const statuses = await Promise.all([1, 2, 3].map(async () => (await fetch(world.address, request)).status));
    await world.slack.waitFor(() => world.slack.posted.length > 0);
    await fetch(world.address, request);
    await world.slack.settle(QUIET_MS);

    expect(statuses).toEqual([200, 200, 200]);
    expect(world.slack.posted).toHaveLength(1);
  });

  it("with another secret is refused", async () => {
    const world = await createBotWorld();

    const response = await fetch(world.address, signed(world, commandBody(world), Date.now(), "another-secret"));

    expect(response.status).toBe(401);
  });
});

describe("a delivery for another workspace", () => {
  it.each([
    ["a command", (world: BotWorld) => commandBody(world, { team_id: "T0OTHER" })],
    ["a command of none", (world: BotWorld) => commandBody(world, { team_id: "" })],
    [
      "a button",
      () =>
        new URLSearchParams({
          payload: JSON.stringify({ type: "block_actions", team: { id: "T0OTHER" }, user: { id: carol }, actions: [] }),
        }).toString(),
    ],
    [
      "an event",
      () =>
        JSON.stringify({
          type: "event_callback",
          team_id: "T0OTHER",
          event_id: "Ev9",
          event: {
            type: "message",
            channel: "D0CAROL",
            channel_type: "im",
            user: carol,
            ts: "1.1",
            text: "ledger drift",
          },
        }),
    ],
  ])("is acknowledged and not heard: %s", async (_what, bodyOf) => {
    const world = await createBotWorld();

    const response = await fetch(world.address, signed(world, bodyOf(world), Date.now()));
    await world.slack.settle(QUIET_MS);

    expect(response.status).toBe(200);
    expect(world.slack.posted).toEqual([]);
    expect(world.logged()).toContain('"reason":"another_workspace"');
  });

  it("does not make the bot ask for the user groups again", async () => {
    const world = await createBotWorld({ transport: "socket" });
    const asked = () => world.slack.calls.filter(({ method }) => method === "usergroups.list").length;
    await world.slack.say(carol, "D0CAROL", "ledger drift");
    await world.slack.waitFor(() => world.slack.posted.length === 1);
    const before = asked();

    await world.slack.deliverEvent({ type: "subteam_updated" }, { teamId: "T0OTHER" });
    await world.slack.say(carol, "D0CAROL", "ledger drift");
    await world.slack.waitFor(() => world.slack.posted.length === 2);

    expect(asked()).toBe(before);
  });
});

describe("the address of an answer", () => {
  it.each([
    ["https://hooks.slack.com/commands/T0/1/abc", true],
    ["https://hooks.slack-gov.com/commands/1", true],
    ["https://slack-gov.com/x", true],
    ["http://hooks.slack.com/commands/1", false],
    ["https://hooks.slack.com.evil.test/", false],
    ["https://hooks.slack.com:444/", false],
    ["https://hooks.slack.com@evil.test/", false],
    ["https://user@hooks.slack.com/", false],
    ["https://evil.test/?hooks.slack.com", false],
    ["file:///etc/passwd", false],
    ["", false],
  ])("%s: %s", (address, expected) => {
    expect(isSlacksAddress(address, "https://slack-gov.com/api/")).toBe(expected);
  });

  it("is refused with an alarm when it is not Slack's, and the answer goes to the asker by Slack's own way", async () => {
    const heard: string[] = [];
    const evil = createServer((request, response) => {
      heard.push(request.url ?? "");
      response.end();
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void evil.close());
    const world = await createBotWorld();
    const address = `http://127.0.0.1:${(evil.address() as AddressInfo).port}/take`;

    await fetch(world.address, signed(world, commandBody(world, { response_url: address }), Date.now()));
    await world.slack.waitFor(() => world.slack.posted.length > 0);

    expect(heard).toEqual([]);
    expect(world.slack.posted[0]).toMatchObject({ visibleTo: carol });
    expect(world.logged()).toContain('"alarm":"response_url_refused"');
  });
});

describe("secrets", () => {
  it("stand in no log line, whatever goes wrong with Slack", async () => {
    const world = await createBotWorld({ transport: "socket", logLevel: "trace" });
    const { slack } = world;
    slack.fault("chat.postMessage", { kind: "error", error: "invalid_auth" });
    slack.fault("users.info", { kind: "http500", times: 2 });

    await slack.say(alice, "D0ALICE", "checkout pool connections");
    await slack.say(alice, "D0ALICE", "checkout pool connections again");
    await slack.waitFor(() => slack.posted.length > 0);
    await slack.settle(QUIET_MS);

    const { botToken, appToken, signingSecret } = exampleWorld().bot;
    for (const secret of [botToken, appToken, signingSecret]) expect(world.logged()).not.toContain(secret);
  });

  it("are cut out of texts that other packages write", () => {
    const tokens = ["xoxb-1-abc", "xapp-1-A0-xyz", "xoxe.xoxp-1-abc", "sk-proj-abc"];
    for (const token of tokens) expect(hideSecrets(`failed with ${token}!`)).not.toContain(token.slice(6));
    expect(hideSecrets("to wss://wss-primary.slack.com/link/?ticket=abc now")).toBe("to [secret] now");
    expect(hideSecrets("to https://hooks.slack.com/commands/T0/1/abc now")).toBe("to [secret] now");
  });

  it("are not in a printed configuration", () => {
    const config = readConfig({
      SLACK_BOT_TOKEN: "xoxb-secret-1",
      SLACK_APP_TOKEN: "xapp-secret-2",
      SLACK_SIGNING_SECRET: "secret-3",
      OPENAI_API_KEY: "secret-4",
      QDRANT_URL: "http://localhost:6333",
      QDRANT_API_KEY: "secret-5",
    });

    for (const part of [config, config.slack, config.models, config.qdrant]) {
      expect(`${inspect(part)} ${JSON.stringify(part)} ${inspect({ part }, { depth: 5 })}`).not.toMatch(/secret-\d/);
    }
    expect(config.slack.signingSecret).toBe("secret-3");
  });
});
