import { describe, expect, it } from "vitest";

import { createBotWorld, PEOPLE, type BotWorld } from "../fakes/bot-world.ts";

const { alice, carol, bob } = PEOPLE;
const ACCESS = `services:
  checkout-api: { aliases: [checkout], owner: core, runbooks: ["checkout/*.md"], readers: [U0ALICE, U0CAROL] }
  payments: { owner: core, runbooks: ["payments/*.md"], readers: [U0ALICE, U0CAROL] }
groups: { core: { members: [U0CAROL] } }
channels:
  C0PAY: { services: [checkout-api, payments] }
`;
const steps = (title: string, step: string) => `# ${title}\n\n## First checks\n\n1. ${step}\n`;
const RUNBOOKS = {
  "checkout/rollback.md": steps("Roll back checkout", "Roll it back: `shipctl last` names good numbers."),
  "payments/rollback.md": steps("Roll back payments", "Roll it back: `payctl undo` wants two eyes."),
};

interface Button {
  readonly action_id: string;
  readonly text: { readonly text: string };
  readonly value: string;
}

async function askedBack() {
  const world = await createBotWorld({ access: ACCESS, runbooks: RUNBOOKS });
  await world.slack.type(alice, "C0PAY", "how do i roll back");
  await world.slack.waitFor(() => world.slack.posted.length > 0);
  const [asked] = world.slack.posted;
  const blocks = (asked?.blocks ?? []) as { type: string; elements?: Button[] }[];
  const buttons = blocks.find(({ type }) => type === "actions")?.elements ?? [];
  return { world, asked, buttons };
}

function press({ slack }: BotWorld, user: string, button: Pick<Button, "action_id" | "value">, ts = "1.1") {
  return slack.deliver(
    {
      type: "block_actions",
      team: { id: "T0ACME" },
      user: { id: user, team_id: "T0ACME" },
      channel: { id: "C0PAY" },
      container: { type: "message", message_ts: ts, is_ephemeral: true },
      actions: [{ ...button, type: "button", block_id: "b", action_ts: ts }],
      response_url: "",
    },
    { noRetries: true },
  );
}

describe("a question that fits several services", () => {
  it("is asked back with a button for each, and answered for the one that is pressed, once", async () => {
    const { world, asked, buttons } = await askedBack();
    const { slack } = world;

    expect(asked?.visibleTo).toBe(alice);
    expect(buttons.map(({ text }) => text.text)).toEqual(["checkout-api", "payments"]);
    const [, payments] = buttons;
    await press(world, alice, payments!);
    await press(world, alice, payments!);
    await slack.waitFor(() => JSON.stringify(slack.posted).includes("payctl undo"));
    await slack.settle(1500);

    const answers = slack.posted.filter((post) => JSON.stringify(post).includes("payctl undo"));
    expect(answers).toHaveLength(1);
    expect(answers[0]?.visibleTo).toBeUndefined();
    expect(JSON.stringify(slack.posted)).not.toContain("shipctl");
  });

  it("tells nothing to somebody who presses without rights, or with a button of their own making", async () => {
    const { world, buttons } = await askedBack();
    const { slack } = world;
    const before = slack.posted.length;

    await press(world, bob, buttons[1]!);
    await press(world, bob, { action_id: "choose_service:0", value: '{"service":"payments","question":"roll back"}' });
    await press(world, carol, { action_id: "choose_service:9", value: "payments/rollback" });
    await slack.settle(1500);

    expect(JSON.stringify(slack.posted.slice(before))).not.toMatch(/payctl|shipctl|Roll back|payments\//);
  });
});
