import { parseAccessFile } from "../../../src/access/read-access-file.ts";
import { createQdrantPassageStore } from "../../../src/store/qdrant-passage-store.ts";
import { createBotWorld, type BotWorld, type BotWorldOptions } from "../../fakes/bot-world.ts";
import { createQdrantStandIn } from "../../fakes/qdrant/qdrant-stand-in.ts";
import type { SlackMessageRecord, SlackWorld } from "../../fakes/slack/slack-world.ts";
import { exampleBot, exampleUser } from "../../fakes/slack/slack-world.ts";

/** A small company: Mia is on call for orders, Kim for orders and the vault, Lou for nothing. */
export const ACCESS = `services:
  orders: { aliases: [basket desk], owner: shop-crew, runbooks: ["orders/**/*.md"], readers: [shop-oncall] }
  orders-audit: { aliases: [auditing], owner: audit-crew, runbooks: ["audit/**/*.md"], readers: [audit-oncall] }
  vault: { aliases: [keyring, nachtfalter], owner: vault-crew, runbooks: ["vault/**/*.md"], readers: [vault-oncall] }
  notices: { aliases: [bulletin], owner: press-crew, runbooks: ["notices/**/*.md"], readers: [everyone] }
groups:
  shop-oncall: { slack_usergroup: S0SHOP }
  vault-oncall: { slack_usergroup: S0VAULT }
  audit-oncall: { members: [U0RAE] }
  shop-crew: { members: [U0KIM] }
  audit-crew: { members: [U0RAE] }
  vault-crew: { members: [U0TED] }
  press-crew: { members: [U0PIA] }
channels:
  C0SHOP: { services: [orders], answer_alerts_from: [A0ALERTS], watch: true }
  C0SAFE: { services: [vault, orders] }
links: { url: "https://git.example.test/acme/pages/{path}#L{line}" }
admins: [shop-crew]
`;
export const policyWith = (from: string | RegExp, to: string) =>
  parseAccessFile(ACCESS.replace(from, to), "access.yaml");

export const RUNBOOKS = {
  "orders/outbox.md": `# Orders pile up in the outbox

## First checks

1. Count the orders that wait in the outbox: \`orderctl outbox count\`.
2. Restart the sender when the count grows: \`orderctl sender restart\`.
`,
  "orders/slow.md": `# Orders are slow to confirm

## Checks

1. Measure how long a confirm takes: \`orderctl confirm time\`.
`,
  "audit/outbox.md": `# Orders blocked by a freeze in the outbox

## Checks

1. Lift the freeze of blocked orders in the outbox: \`auditctl freeze lift\`.
`,
  "vault/rotation-stuck.md": `# Rotation stuck since the Nachtfalter change

Alert VaultRotationStuck, code ERR_VLT_2207, ticket VLT-31.

## Steps

1. Rotate the stuck keys of the vault by hand: \`vaultctl nachtfalter rotate --force\`.
2. Tell the watch that orders in the outbox wait for keys.
`,
  "vault/keys.md": "# Vault keys are missing\n\n## Steps\n\n1. Count the vault keys: `vaultctl keys count`.\n",
  "notices/board.md": `# Notice board is down

## Checks

1. Open the notice board and see whether the board is down for everyone: \`boardctl ping\`.
`,
};

/** Nothing of the vault's may be met by somebody without rights; `vault` itself is too common a word in questions. */
export const OF_THE_VAULT =
  /vaultctl|vault-crew|rotation-stuck|vault\/|Nachtfalter change|Vault keys|"vault"|\*vault\*/;

export const PEOPLE = { mia: "U0MIA", kim: "U0KIM", lou: "U0LOU", guest: "U0GAST", partner: "U0OTTO" } as const;

export function leakSlack(): SlackWorld {
  const bot = exampleBot();
  const { mia, kim, lou, guest, partner } = PEOPLE;
  const all = [...Object.values(PEOPLE), bot.userId];
  const direct = (user: string) => ({
    id: `D0${user.slice(2)}`,
    name: "",
    kind: "im" as const,
    members: [user, bot.userId],
  });
  return {
    teamId: "T0ACME",
    users: [
      exampleUser(mia, "mia"),
      exampleUser(kim, "kim"),
      exampleUser(lou, "lou"),
      exampleUser(guest, "gast", { is_restricted: true }),
      exampleUser(partner, "otto", { team_id: "T0OTHER" }),
    ],
    usergroups: [
      { id: "S0SHOP", handle: "shop", users: [mia, kim] },
      { id: "S0VAULT", handle: "vault", users: [kim] },
    ],
    channels: [
      { id: "C0SHOP", name: "shop", kind: "channel", members: all },
      { id: "C0SAFE", name: "safe", kind: "channel", members: all },
      { id: "C0FREE", name: "free", kind: "channel", members: all },
      { id: "C0WIDE", name: "wide", kind: "channel", members: all, is_ext_shared: true },
      { id: "G0BOTH", name: "both", kind: "mpim", members: [kim, lou, bot.userId] },
      ...Object.values(PEOPLE).map(direct),
    ],
    bot,
  };
}

export const STORES = ["sqlite", "qdrant"] as const;
export type StoreName = (typeof STORES)[number];

export async function createLeakWorld(store: StoreName = "sqlite", options: BotWorldOptions = {}): Promise<BotWorld> {
  const common = { transport: "socket", world: leakSlack(), access: ACCESS, runbooks: RUNBOOKS, ...options } as const;
  if (store === "sqlite") return createBotWorld(common);
  const { url } = await createQdrantStandIn();
  const qdrant = createQdrantPassageStore({ url, apiKey: null, collection: "leaks" });
  return createBotWorld({ ...common, store: qdrant });
}

/** What the bot posts because of something that is said to it. */
export async function repliesTo(
  { slack, handled }: BotWorld,
  act: () => Promise<unknown>,
): Promise<readonly SlackMessageRecord[]> {
  const [before, done] = [slack.posted.length, handled()];
  await act();
  await slack.waitFor(() => handled() > done);
  return slack.posted.slice(before);
}

/** The bytes that people see, without ids and times, and with the asker's own word made neutral. */
export function bytesOf(messages: readonly SlackMessageRecord[], ownWord = ""): string {
  const shown = messages.map(({ ts: _ts, thread_ts: thread, metadata: _metadata, ...rest }) => ({
    ...rest,
    inThread: thread !== undefined,
  }));
  // What a button carries is drawn by lot.
  const text = JSON.stringify(shown).replace(/"value":"[0-9a-f]{12}(?=[":])/g, '"value":"ID');
  return ownWord === "" ? text : text.replaceAll(ownWord, "WORD");
}

/** The ways of asking that a member has. */
export const WAYS = {
  command: ({ slack }: BotWorld, user: string, text: string) => slack.type(user, "C0SHOP", text),
  "command elsewhere": ({ slack }: BotWorld, user: string, text: string) => slack.type(user, "C0SAFE", text),
  mention: ({ slack }: BotWorld, user: string, text: string) => slack.say(user, "C0SHOP", `<@U0RUNBOT> ${text}`),
  "direct message": ({ slack }: BotWorld, user: string, text: string) => slack.say(user, `D0${user.slice(2)}`, text),
} as const;
