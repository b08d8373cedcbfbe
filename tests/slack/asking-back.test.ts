import { describe, expect, it } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { readAudit } from "../../src/audit/read-audit.ts";
import { ACCESS, createBotWorld, PEOPLE } from "../fakes/bot-world.ts";
import { findElements } from "../fakes/slack/find-elements.ts";
import { readAsPerson } from "../fakes/slack/plain-text.ts";
import type { SlackMessageRecord } from "../fakes/slack/slack-world.ts";

const { alice, bob, carol } = PEOPLE;

const rollBack = (name: string, step: string) => `# Roll back ${name}\n\n## First checks\n\n1. ${step}\n`;
const TWINS = {
  "checkout/roll-back.md": rollBack("checkout", "Roll it back: `checkoutctl rollback` names good numbers."),
  "payments/roll-back.md": rollBack("payments", "Roll it back: `payctl rollback` wants two eyes."),
  "status/status-page.md": "# Status page is down\n\n1. Open the status page host.\n",
};
const ASKED = "how do i roll back";

async function askBack(channelId = "D0CAROL") {
  const world = await createBotWorld({ transport: "socket", runbooks: TWINS });
  await world.slack.say(carol, channelId, channelId.startsWith("D") ? ASKED : `<@U0RUNBOT> ${ASKED}`);
  await world.slack.waitFor(() => world.slack.posted.length === 1);
  const question = world.slack.posted[0]!;
  return { ...world, question, buttons: buttonsOf(question) };
}

function buttonsOf({ blocks = [] }: SlackMessageRecord) {
  return findElements(blocks).map(({ element }) => ({
    actionId: element.action_id ?? "",
    label: (element["text"] as { text: string }).text,
    value: element["value"] as string,
  }));
}

async function auditOf(dataDir: string) {
  const lines = [];
  for await (const line of readAudit(dataDir, { source: null, user: null, since: 0 }, () => undefined))
    lines.push(line);
  return lines;
}

/** A click as Slack would deliver it, by somebody who need not see the button. */
const clickOf = (user: string, channel: string, value: string) => ({
  type: "block_actions",
  team: { id: "T0ACME" },
  user: { id: user, team_id: "T0ACME" },
  channel: { id: channel },
  trigger_id: "trigger.1",
  response_url: "",
  actions: [{ type: "button", action_id: "choose_service:0", block_id: "b", value }],
});

describe("asking back which service is meant", () => {
  it("offers the services as buttons that carry no word of a runbook", async () => {
    const { slack, buttons } = await askBack();

    expect(buttons.map(({ label }) => label)).toEqual(["checkout-api", "payments"]);
    expect(JSON.stringify(buttons.map(({ value }) => value))).not.toMatch(/checkout|payments|roll/);
    expect(slack.violations).toEqual([]);
  });

  it("names no service that the asker may not see, and so asks nothing", async () => {
    const { slack } = await createBotWorld({ transport: "socket", runbooks: TWINS });

    await slack.say(alice, "D0ALICE", ASKED);
    await slack.waitFor(() => slack.posted.length === 1);

    expect(JSON.stringify(slack.posted)).not.toMatch(/payments|payctl/);
    expect(readAsPerson(slack.posted[0]!)).toContain("checkoutctl rollback");
  });

  it("answers for the chosen service in the same thread, and records it", async () => {
    const { slack, question, buttons, dataDir } = await askBack();

    await slack.click(carol, "D0CAROL", question.ts, buttons[1]!.actionId);
    await slack.waitFor(() => slack.posted.length === 2);
    await slack.click(carol, "D0CAROL", question.ts, buttons[1]!.actionId);
    await slack.settle(1500);

    const reply = slack.posted[1]!;
    expect(slack.posted).toHaveLength(2);
    expect(reply.thread_ts).toBe(question.thread_ts);
    expect(readAsPerson(reply)).toContain("payctl rollback");
    expect(readAsPerson(reply)).not.toContain("checkoutctl");
    expect((await auditOf(dataDir)).map(({ outcome, sources, user }) => ({ outcome, sources, user }))).toEqual([
      { outcome: "clarify", sources: [], user: carol },
      { outcome: "answered", sources: ["payments/roll-back"], user: carol },
    ]);
  });

  it("answers in a channel's thread, where only the asker saw the buttons", async () => {
    const { slack, question, buttons } = await askBack("C0PAY");
    const asked = slack.messages[0]!;

    await slack.click(carol, "C0PAY", question.ts, buttons[0]!.actionId);
    await slack.waitFor(() => slack.posted.length === 2);

    expect(question.visibleTo).toBe(carol);
    expect(slack.posted[1]).toMatchObject({ channel: "C0PAY", thread_ts: asked.ts });
    expect(readAsPerson(slack.posted[1]!)).toContain("checkoutctl rollback");
  });

  it("tells a person without rights who clicks nothing", async () => {
    const { slack, buttons } = await askBack("C0PAY");

    for (const user of [bob, alice, PEOPLE.guest]) {
      for (const { value } of buttons) await slack.deliver(clickOf(user, "C0PAY", value));
    }
    await slack.settle(1500);

    expect(slack.posted).toHaveLength(1);
  });

  it("looks the rights up anew: who lost them since is told nothing", async () => {
    const { slack, question, buttons, setPolicy } = await askBack();

    setPolicy(parseAccessFile(ACCESS.replace("readers: [payments-oncall]", "readers: []"), "access.yaml"));
    await slack.click(carol, "D0CAROL", question.ts, buttons[1]!.actionId);
    await slack.settle(1500);

    expect(slack.posted).toHaveLength(1);
  });

  it("refuses a value that no button carries", async () => {
    const { slack, buttons, logged } = await askBack();
    const [id = ""] = buttons[0]!.value.split(":");

    for (const value of [`${id}:2`, `${id}:-1`, "payments", `${"0".repeat(12)}:0`, "", `${id}:1 `]) {
      await slack.deliver(clickOf(carol, "D0CAROL", value));
    }
    await slack.deliver(clickOf(carol, "C0RANDOM", buttons[0]!.value));
    await slack.settle(1500);

    expect(slack.posted).toHaveLength(1);
    expect(logged().match(/"click_refused"/g)).toHaveLength(7);
  });
});
