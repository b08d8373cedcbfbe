import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it, vi } from "vitest";

import { createBotWorld, PEOPLE } from "../fakes/bot-world.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";

/** Posts of a channel are a second apart: only a longer silence shows that no second one comes. */
const BETWEEN_POSTS_MS = 1500;

const { alice, carol } = PEOPLE;
const POOL = "<@U0RUNBOT> checkout pool connections exhausted";
const STATUS = "<@U0RUNBOT> the status page is down for everyone";

async function answered(channelId = "C0INCIDENT", who: string = alice, text = POOL) {
  const world = await createBotWorld({ transport: "socket" });
  const { ts } = await world.slack.say(who, channelId, text);
  await world.slack.waitFor(() => world.slack.posted.length === 1);
  return { ...world, ts, reply: world.slack.posted[0]! };
}

describe("a question that is edited", () => {
  it("has its answer edited: one message, in its place, found by those who read it", async () => {
    const { slack, ts, reply } = await answered();

    await slack.edit("C0INCIDENT", ts, STATUS);
    await slack.waitFor(() => readAsPerson(reply).includes("status page host"));
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toHaveLength(1);
    expect(readAsPerson(reply)).not.toContain("checkoutctl");
    expect(slack.violations).toEqual([]);
  });

  it("has its answer edited also when it was edited before there was one", async () => {
    let asked = false;
    const { slack } = await createBotWorld({
      transport: "socket",
      around: (answer) => async (message, audience) => {
        asked = true;
        await sleep(300);
        return answer(message, audience);
      },
    });
    const { ts } = await slack.say(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => asked);

    await slack.edit("C0INCIDENT", ts, STATUS);
    await slack.waitFor(() => slack.posted.some((reply) => readAsPerson(reply).includes("status page host")));

    expect(slack.posted).toHaveLength(1);
  });

  it("leaves no answer that does not fit it any more, and tells the asker alone what there is", async () => {
    const { slack, ts, reply } = await answered("C0INCIDENT", carol);

    await slack.edit("C0INCIDENT", ts, "<@U0RUNBOT> payments ledger drift");
    await slack.waitFor(() => slack.posted.length === 2);

    expect(readAsPerson(reply)).toMatch(/^The question was changed/);
    expect(slack.posted[1]).toMatchObject({ visibleTo: carol });
    expect(readAsPerson(slack.posted[1]!)).toContain("payctl sternwarte");
  });

  it("keeps its answer when the edit comes later than ten minutes, or is somebody else's", async () => {
    const { slack, ts, reply, handled } = await answered();
    const before = readAsPerson(reply);
    const changed = (user: string) => ({
      type: "message",
      subtype: "message_changed",
      hidden: true,
      channel: "C0INCIDENT",
      channel_type: "channel",
      ts: "1796000900.000100",
      message: { type: "message", user, ts, text: STATUS, edited: { user, ts: "1796000900.000000" } },
      previous_message: { type: "message", user, ts, text: POOL },
    });

    await slack.deliverEvent(changed(carol));
    vi.spyOn(Date, "now").mockReturnValue(Date.now() + 11 * 60_000);
    await slack.deliverEvent(changed(alice));
    vi.restoreAllMocks();
    await sleep(500);

    expect(handled()).toBe(1);
    expect(readAsPerson(reply)).toBe(before);
  });
});

describe("a question that is deleted", () => {
  it("gets nothing any more", async () => {
    let asked = false;
    const { slack, handled, logged } = await createBotWorld({
      transport: "socket",
      around: (answer) => async (message, audience) => {
        asked = true;
        await sleep(500);
        return answer(message, audience);
      },
    });
    const { ts } = await slack.say(alice, "C0INCIDENT", POOL);
    await slack.waitFor(() => asked);

    await slack.remove("C0INCIDENT", ts);
    await slack.waitFor(() => handled() === 1);
    await slack.settle(BETWEEN_POSTS_MS);

    expect(slack.posted).toEqual([]);
    expect(logged()).toContain('"outcome":"deleted"');
  });
});

describe("a runbook that nobody has looked at for long", () => {
  it("is shown with its age and its owner", async () => {
    const page = (reviewed: string, owner: string) =>
      `---\nlast_reviewed: ${reviewed}\n${owner}---\n# Status page is down\n\n1. Open the status page host and check that the status page is down.\n`;
    const ask = async (text: string) => {
      const { slack } = await createBotWorld({ transport: "socket", runbooks: { "status/status-page.md": text } });
      await slack.say(alice, "C0INCIDENT", STATUS);
      await slack.waitFor(() => slack.posted.length === 1);
      return readAsPerson(slack.posted[0]!);
    };
    const today = new Date().toISOString().slice(0, 10);

    expect(await ask(page("2021-01-05", "owner: web-team\n"))).toMatch(
      /“Status page is down” was last reviewed \d years ago\. Owner: web-team\./,
    );
    expect(await ask(page("2021-01-05", ""))).toContain("Owner: comms.");
    expect(await ask(page(today, ""))).not.toContain("last reviewed");
  });
});
