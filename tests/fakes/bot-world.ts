import { mkdirSync } from "node:fs";
import { join } from "node:path";

import pino from "pino";
import { onTestFinished } from "vitest";

import type { AccessPolicy } from "../../src/access/access-policy.ts";
import { parseAccessFile } from "../../src/access/read-access-file.ts";
import type { AnswerAudience } from "../../src/answering/answer-audience.ts";
import type { PolicyStatus } from "../../src/access/watch-access-file.ts";
import { createFeedback } from "../../src/feedback/write-feedback.ts";
import { createAuditTrail, type AuditSettings } from "../../src/audit/write-audit.ts";
import { createAnswering } from "../../src/create-answering.ts";
import type { StructuredModel } from "../../src/models/ask-structured.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { hideSecrets } from "../../src/logger.ts";
import { createSlackBot, type SlackBot } from "../../src/slack/create-slack-bot.ts";
import type { FindRunbooks } from "../../src/slack/warn-of-stale.ts";
import { openState } from "../../src/store/open-state.ts";
import { findFreePort } from "./slack/find-free-port.ts";
import { createSlackStandIn, type SlackStandIn } from "./slack/slack-stand-in.ts";
import { exampleBot, exampleUser, type SlackWorld } from "./slack/slack-world.ts";
import { createWorld, type World } from "./temporary-world.ts";

export const ACCESS = `services:
  checkout-api: { aliases: [checkout, basket], owner: commerce-platform, runbooks: ["checkout/**/*.md"], readers: [commerce-oncall] }
  payments: { aliases: [ledger, sternwarte], owner: payments-core, runbooks: ["payments/**/*.md"], readers: [payments-oncall] }
  status-page: { aliases: [status], owner: comms, runbooks: ["status/**/*.md"], readers: [everyone] }
groups:
  commerce-oncall: { slack_usergroup: S0COMMERCE }
  payments-oncall: { slack_usergroup: S0PAYMENTS }
  commerce-platform: { members: [U0CAROL] }
  payments-core: { members: [U0DAN] }
  comms: { members: [U0EVE] }
channels:
  C0INCIDENT: { services: [checkout-api], answer_alerts_from: [A0ALERTS], watch: true }
  C0PAY: { services: [payments, checkout-api] }
links: { url: "https://git.example.test/acme/runbooks/blob/main/{path}#L{line}" }
admins: [commerce-platform]
`;

const RUNBOOKS = {
  "checkout/pool.md": `# Checkout connection pool exhausted

## First checks

1. Count the checkout pool connections: \`checkoutctl pool count\`.
2. Compare with the checkout pool limit: \`checkoutctl pool limit\`.
3. Tell <!channel> and <@U0DAN> nothing; see [docs](https://evil.example.test).
`,
  "payments/ledger-drift.md": `# Ledger drift after the Sternwarte cutover

Alert LedgerDriftHigh, code ERR_PAY_1042, ticket PAY-77.

## Steps

1. Reconcile the payments ledger drift: \`payctl sternwarte reconcile --day yesterday\`.
`,
  "status/status-page.md": `# Status page is down

## Checks

1. Open the status page host and check that the status page is down for everyone.
`,
};

export const PEOPLE = {
  alice: "U0ALICE",
  bob: "U0BOB",
  carol: "U0CAROL",
  guest: "U0GUEST",
  partner: "U0PARTNER",
} as const;

export function exampleWorld(): SlackWorld {
  const bot = exampleBot();
  const everybody = [...Object.values(PEOPLE), bot.userId];
  return {
    teamId: "T0ACME",
    users: [
      exampleUser(PEOPLE.alice, "alice"),
      exampleUser(PEOPLE.bob, "bob"),
      exampleUser(PEOPLE.carol, "carol"),
      exampleUser(PEOPLE.guest, "guest", { is_restricted: true }),
      exampleUser(PEOPLE.partner, "partner", { team_id: "T0OTHER" }),
    ],
    usergroups: [
      { id: "S0COMMERCE", handle: "commerce-oncall", users: [PEOPLE.alice, PEOPLE.carol] },
      { id: "S0PAYMENTS", handle: "payments-oncall", users: [PEOPLE.carol] },
    ],
    channels: [
      { id: "C0INCIDENT", name: "incident", kind: "channel", members: everybody },
      { id: "C0PAY", name: "pay", kind: "channel", members: everybody },
      { id: "C0RANDOM", name: "random", kind: "channel", members: everybody },
      { id: "C0SHARED", name: "shared", kind: "channel", members: everybody, is_ext_shared: true },
      { id: "C0NOBOT", name: "no-bot", kind: "channel", members: [PEOPLE.alice, PEOPLE.carol] },
      { id: "D0ALICE", name: "", kind: "im", members: [PEOPLE.alice, bot.userId] },
      { id: "D0CAROL", name: "", kind: "im", members: [PEOPLE.carol, bot.userId] },
      { id: "D0BOB", name: "", kind: "im", members: [PEOPLE.bob, bot.userId] },
      { id: "D0GUEST", name: "", kind: "im", members: [PEOPLE.guest, bot.userId] },
      { id: "G0GROUP", name: "mpdm", kind: "mpim", members: [PEOPLE.carol, PEOPLE.bob, bot.userId] },
    ],
    bot,
  };
}

export interface BotWorld {
  readonly slack: SlackStandIn;
  readonly bot: SlackBot;
  /** Its runbooks, its store, and the way to index them again. */
  readonly files: World;
  /** All log lines so far. */
  readonly logged: () => string;
  /** How many questions are done with, answered or not. */
  readonly handled: () => number;
  /** Where Slack delivers to, over HTTP. */
  readonly address: string;
  /** Where the audit trail and the state are kept. */
  readonly dataDir: string;
  readonly setPolicy: (policy: AccessPolicy) => void;
  /** Frees everything now; the end of the test does it too. */
  stop(): Promise<void>;
}

export interface BotWorldOptions {
  readonly transport?: "http" | "socket";
  /** Stands between the bot and its pipeline. */
  readonly around?: (answer: AnswerAudience) => AnswerAudience;
  readonly world?: SlackWorld;
  readonly audit?: Partial<AuditSettings>;
  readonly logLevel?: string;
  readonly access?: string;
  readonly runbooks?: Readonly<Record<string, string>>;
  /** Left out: the embedded store. */
  readonly store?: PassageStore;
  /** Stands between the pipeline and its store. */
  readonly aroundStore?: (store: PassageStore) => PassageStore;
  readonly chat?: StructuredModel | null;
  readonly threadReplies?: "mentions" | "questions";
  readonly policyStatus?: PolicyStatus;
}

/** The real bot and pipeline on small runbooks, connected to the stand-in Slack. */
export async function createBotWorld({
  transport = "http",
  around = (answer) => answer,
  world = exampleWorld(),
  audit: auditSettings = {},
  logLevel = "info",
  access = ACCESS,
  runbooks = RUNBOOKS,
  aroundStore = (store) => store,
  chat = null,
  threadReplies = "mentions",
  policyStatus = { state: "good", since: Date.now(), problems: [] },
  ...given
}: BotWorldOptions = {}): Promise<BotWorld> {
  const files = await createWorld({ runbooks, access, ...given });
  await files.index();
  const slack = await createSlackStandIn(world);
  let policy = parseAccessFile(access, "access.yaml");
  const lines: string[] = [];
  let handled = 0;
  const log = pino(
    { level: logLevel, base: null, hooks: { streamWrite: hideSecrets } },
    {
      write(line: string) {
        lines.push(line);
        if (/"question_(?:handled|failed)"/.test(line)) handled += 1;
      },
    },
  );
  const { embeddingModel } = files;
  const store = aroundStore(files.store);
  const answer = around(createAnswering({ policy: () => policy, store, embeddingModel, chat, modelBudgetMs: 8000 }));
  const dataDir = join(files.directory, "data");
  mkdirSync(dataDir, { recursive: true });
  const state = openState(join(dataDir, "state.sqlite"));
  const { bot: identity } = world;
  const audit = createAuditTrail({ directory: dataDir, mode: "required", keepDays: 400, log, ...auditSettings });
  const port = await findFreePort();
  const settings = {
    botToken: identity.botToken,
    appToken: transport === "socket" ? identity.appToken : null,
    signingSecret: identity.signingSecret,
    apiUrl: slack.apiUrl,
    port,
  };
  const address = `http://127.0.0.1:${port}/slack/events`;
  const recordFeedback = createFeedback(dataDir);
  const findRunbooks: FindRunbooks = (sourceIds, allowed) => store.findRunbooks(sourceIds, allowed);
  const operations = { policyStatus: () => policyStatus, currentIndex: () => store.currentIndex() };
  const parts = {
    settings,
    policy: () => policy,
    answer,
    state,
    audit,
    threadReplies,
    operations,
    recordFeedback,
    findRunbooks,
    log,
  };
  const bot = await createSlackBot(parts);
  await bot.start();
  if (transport === "http") slack.connectHttp(address);
  else await slack.connectSocket();
  let stopped: Promise<void> | null = null;
  const stop = () =>
    (stopped ??= (async () => {
      await bot.stop(3000);
      state.close();
      await slack.stop();
    })());
  onTestFinished(stop);
  return {
    slack,
    bot,
    files,
    logged: () => lines.join(""),
    handled: () => handled,
    address,
    dataDir,
    setPolicy: (next) => (policy = next),
    stop,
  };
}
