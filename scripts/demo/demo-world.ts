import { exampleBot, exampleUser, type SlackWorld } from "../../tests/fakes/slack/slack-world.ts";

export const ALICE = "U0ALICE";
export const BOB = "U0BOB";
export const DAVE = "U0DAVE";

export const INCIDENT = "C0INC2048";
export const SHOP_OPS = "C0SHOPOPS";
export const ALERTS = "C0ALERTS";
export const PARTNERS = "C0PARTNERS";

/** The people and channels of the sample access file, as Slack would know them. */
export function createDemoWorld(): SlackWorld {
  const bot = exampleBot();
  const all = [ALICE, BOB, DAVE, bot.userId];
  return {
    teamId: "T0ACME",
    users: [
      exampleUser(ALICE, "alice"),
      exampleUser(BOB, "bob"),
      exampleUser("U0CAROL", "carol"),
      exampleUser(DAVE, "dave", { is_restricted: true }),
    ],
    usergroups: [{ id: "S0NETWORK", handle: "network-oncall", users: ["U0JUDY"] }],
    channels: [
      { id: INCIDENT, name: "inc-2048", kind: "channel", members: all },
      { id: SHOP_OPS, name: "shop-ops", kind: "channel", members: all },
      { id: ALERTS, name: "alerts-payments", kind: "channel", members: all },
      { id: PARTNERS, name: "with-partners", kind: "channel", members: all, is_ext_shared: true },
    ],
    bot,
  };
}
