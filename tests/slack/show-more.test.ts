import { describe, expect, it } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { ACCESS, createBotWorld, PEOPLE } from "../fakes/bot-world.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";

const { alice, bob, carol } = PEOPLE;
const steps = Array.from(
  { length: 7 },
  (_, index) => `${index + 1}. Look at pool ${"abcdefg"[index]}: \`checkoutctl pool ${"abcdefg"[index]}\`.`,
);
const RUNBOOKS = {
  "checkout/pool.md": `# Checkout connection pool exhausted\n\n## First checks\n\n${steps.join("\n")}\n`,
};

async function answered(channelId = "C0INCIDENT") {
  const world = await createBotWorld({ transport: "socket", runbooks: RUNBOOKS });
  const mention = channelId.startsWith("D") ? "" : "<@U0RUNBOT> ";
  await world.slack.say(alice, channelId, `${mention}checkout connection pool exhausted`);
  await world.slack.waitFor(() => world.slack.posted.length === 1);
  return { ...world, reply: world.slack.posted[0]! };
}

describe("an answer that had no room for all checks", () => {
  it("shows the rest to whoever asks for it, alone, numbered on", async () => {
    const { slack, reply } = await answered();

    await slack.click(carol, "C0INCIDENT", reply.ts, "show_more");
    await slack.waitFor(() => slack.posted.length === 2);

    const more = slack.posted[1]!;
    expect(readAsPerson(reply)).toContain("checkoutctl pool d");
    expect(readAsPerson(reply)).not.toContain("checkoutctl pool e");
    expect(more).toMatchObject({ visibleTo: carol });
    expect(readAsPerson(more)).toMatch(/5\.\* Look at pool e[\s\S]*6\.\* Look at pool f[\s\S]*7\.\* Look at pool g/);
    expect(readAsPerson(more)).not.toContain("checkoutctl pool d");
    expect(slack.violations).toEqual([]);
  });

  it("shows nothing of it to who may not open the runbook, or not any more", async () => {
    const { slack, reply, setPolicy } = await answered();

    await slack.click(bob, "C0INCIDENT", reply.ts, "show_more");
    await slack.waitFor(() => slack.posted.length === 2);
    setPolicy(parseAccessFile(ACCESS.replace("readers: [commerce-oncall]", "readers: []"), "access.yaml"));
    await slack.click(carol, "C0INCIDENT", reply.ts, "show_more");
    await slack.waitFor(() => slack.posted.length === 3);

    expect(slack.posted.slice(1).map(({ text }) => text)).toEqual([
      "There are no more steps; the linked runbook has the rest.",
      "There are no more steps; the linked runbook has the rest.",
    ]);
  });

  it("refuses a value that no button carries", async () => {
    const { slack, reply, logged } = await answered("D0ALICE");

    for (const value of ["checkout/pool", "0".repeat(12)])
      await slack.click(alice, "D0ALICE", reply.ts, "show_more", value);
    await slack.settle(1000);

    expect(slack.posted).toHaveLength(1);
    expect(logged().match(/"click_refused"/g)).toHaveLength(2);
  });

  it("has no such button when everything is shown", async () => {
    const { slack } = await createBotWorld({ transport: "socket" });

    await slack.say(alice, "C0INCIDENT", "<@U0RUNBOT> checkout pool connections exhausted");
    await slack.waitFor(() => slack.posted.length === 1);

    expect(JSON.stringify(slack.posted)).not.toContain("show_more");
  });
});
