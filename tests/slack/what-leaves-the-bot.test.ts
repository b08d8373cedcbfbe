import { describe, expect, it } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { ACCESS, createBotWorld, PEOPLE, type BotWorld } from "../fakes/bot-world.ts";

const { alice, bob } = PEOPLE;
const HIDDEN = /payctl|reconcile|Ledger drift|ledger-drift|payments-core|payments\/|"payments"/;

async function afterQuiet(world: BotWorld, act: () => Promise<unknown>) {
  await act();
  await world.slack.settle(500);
}

describe("what leaves the bot", { timeout: 60_000 }, () => {
  it("follows today's access file, not the index's", async () => {
    const world = await createBotWorld();
    world.setPolicy(parseAccessFile(ACCESS.replace("readers: [everyone]", "readers: []"), "access.yaml"));

    await afterQuiet(world, () => world.slack.say(bob, "D0BOB", "status page is down"));

    expect(JSON.stringify(world.slack.posted)).not.toContain("status page host");
  });

  it("shows nothing of a runbook that today's access file gives to another service", async () => {
    const world = await createBotWorld();
    const moved = ACCESS.replace('"payments/**/*.md"', '"payments/**/*.md", "status/**/*.md"');
    world.setPolicy(parseAccessFile(moved.replace('["status/**/*.md"]', '["open/**/*.md"]'), "access.yaml"));

    await afterQuiet(world, () => world.slack.say(bob, "D0BOB", "status page is down"));

    expect(world.slack.posted).toHaveLength(1);
    expect(JSON.stringify(world.slack.posted)).not.toMatch(/status page host|status\/status-page/);
  });

  it("answers anew when the access file changes between answer and post", async () => {
    const moved = ACCESS.replace('["status/**/*.md"]', '["open/**/*.md"]');
    const world: BotWorld = await createBotWorld({
      around: (answer) => async (message, audience) => {
        const answered = await answer(message, audience);
        world.setPolicy(parseAccessFile(moved, "access.yaml"));
        return answered;
      },
    });

    await afterQuiet(world, () => world.slack.say(bob, "D0BOB", "status page is down"));

    await world.slack.waitFor(() => world.slack.posted.length > 0);

    expect(world.slack.posted).toHaveLength(1);
    expect(JSON.stringify(world.slack.posted)).not.toContain("status page host");
  });

  it("tells a member that access can't be checked when the access file has been unreadable for too long", async () => {
    const world = await createBotWorld();
    world.setPolicy(parseAccessFile("services: {}", "access.yaml"));

    await afterQuiet(world, () => world.slack.say(bob, "D0BOB", "status page is down"));

    expect(JSON.stringify(world.slack.posted)).toContain("Access could not be checked just now, for anybody.");
  });

  it("answers an alert from the channel's services only, whatever its labels say", async () => {
    const world = await createBotWorld();

    await afterQuiet(world, () =>
      world.slack.postAsApp("C0INCIDENT", {
        subtype: "bot_message",
        bot_id: "B0ALERTMGR",
        app_id: "A0ALERTS",
        attachments: [
          {
            title: "[FIRING:1] LedgerDriftHigh",
            text: "service: payments\nrunbook_url: https://git.example.test/acme/runbooks/blob/main/payments/ledger-drift.md#L9",
          },
        ],
      }),
    );

    expect(JSON.stringify(world.slack.posted)).not.toMatch(HIDDEN);
  });

  it("gives a fixed sentence with a reference when the permission proof throws, and no word of the cause", async () => {
    const world = await createBotWorld({
      around: () => async () => {
        throw new Error("payments/ledger-drift.md leaked");
      },
    });

    await afterQuiet(world, () => world.slack.say(alice, "D0ALICE", "checkout pool"));
    await world.slack.waitFor(() => world.slack.posted.length > 0);

    const text = JSON.stringify(world.slack.posted);
    expect(text).toMatch(/[Rr]eference/);
    expect(text).not.toMatch(/leaked|ledger/);
  });
});
