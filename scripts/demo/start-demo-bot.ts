import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";

import type { AccessPolicy } from "../../src/access/access-policy.ts";
import { createAuditTrail } from "../../src/audit/write-audit.ts";
import type { Config } from "../../src/config.ts";
import { createAnswering } from "../../src/create-answering.ts";
import { createLogger } from "../../src/logger.ts";
import { createChat } from "../../src/models/create-chat-model.ts";
import type { EmbeddingModel } from "../../src/models/embedding-model.ts";
import { createSlackBot, type SlackBot } from "../../src/slack/create-slack-bot.ts";
import { openState } from "../../src/store/open-state.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { findFreePort } from "../../tests/fakes/slack/find-free-port.ts";
import type { SlackStandIn } from "../../tests/fakes/slack/slack-stand-in.ts";

export interface DemoParts {
  readonly slack: SlackStandIn;
  readonly policy: AccessPolicy;
  readonly store: PassageStore;
  readonly embeddingModel: EmbeddingModel;
  readonly statePath: string;
}

/** The real bot, connected to the stand-in in Socket Mode or over HTTP. */
export async function startDemoBot(
  { slack, policy, store, embeddingModel, statePath }: DemoParts,
  transport: "socket" | "http",
  models: Config["models"] | null,
): Promise<SlackBot> {
  const { bot: identity } = slack.world;
  const log = createLogger("silent");
  const state = openState(statePath);
  const chat = models === null ? null : await createChat(models, log);
  const answer = createAnswering({
    policy: () => policy,
    store,
    embeddingModel,
    chat,
    modelBudgetMs: models?.timeoutMs ?? 8000,
  });
  const audit = createAuditTrail({ directory: dirname(statePath), mode: "off", keepDays: 1, log });
  const port = await findFreePort();
  const settings = {
    botToken: identity.botToken,
    appToken: transport === "socket" ? identity.appToken : null,
    signingSecret: identity.signingSecret,
    apiUrl: slack.apiUrl,
    port,
  };
  const bot = await createSlackBot({ settings, policy: () => policy, answer, state, audit, log });
  await bot.start();
  if (transport === "http") slack.connectHttp(`http://127.0.0.1:${port}/slack/events`);
  else await slack.connectSocket();
  return {
    ...bot,
    start: async () => undefined,
    async stop(deadlineMs) {
      await bot.stop(deadlineMs);
      state.close();
    },
  };
}

/** A chat model that is configured and does not work: every call gets HTTP 500. */
export async function startBrokenModel(): Promise<{ readonly models: Config["models"]; stop(): void }> {
  const server = createServer((_request, response) => response.writeHead(500).end("{}"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return {
    models: {
      apiKey: null,
      baseUrl,
      chatModel: "broken-model",
      embeddingModel: null,
      embeddingDimensions: null,
      timeoutMs: 3000,
    },
    stop: () => void server.close(),
  };
}
