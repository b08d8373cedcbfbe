import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import type { AccessPolicy } from "./access/access-policy.ts";
import { watchAccessFile } from "./access/watch-access-file.ts";
import type { AnswerAudience } from "./answering/answer-audience.ts";
import { createAuditTrail } from "./audit/write-audit.ts";
import { assertSlackConfigured, readConfig, type Config } from "./config.ts";
import { createAnswering } from "./create-answering.ts";
import { ConfigurationError, PipelineError } from "./errors.ts";
import { createChat, disableTracing } from "./models/create-chat-model.ts";
import { createLogger, hideSecrets, type Logger } from "./logger.ts";
import { assertIndexFits } from "./models/assert-index-fits.ts";
import { createEmbeddingModel } from "./models/create-embedding-model.ts";
import type { EmbeddingModel } from "./models/embedding-model.ts";
import { createSlackBot } from "./slack/create-slack-bot.ts";
import { createFeedback } from "./feedback/write-feedback.ts";
import { createMetrics } from "./operate/metrics.ts";
import { serveHealth } from "./operate/serve-health.ts";
import { findKnowledgeProblems, measureKnowledge, measureProcess } from "./operate/watch-process.ts";
import { createPassageStore } from "./store/create-passage-store.ts";
import { openEmbeddingCache } from "./store/embedding-cache.ts";
import { tryToLead, whoLeads, type Leadership } from "./store/lead-alone.ts";
import { openState } from "./store/open-state.ts";
import type { PassageStore } from "./store/passage-store.ts";

const DRAIN_MS = 20_000;
const STAND_BY_MS = 1000;

/** Wires config → clients → steps → Slack, and keeps running until it is told to stop. */
async function main(): Promise<void> {
  if (existsSync(".env")) process.loadEnvFile(".env");
  disableTracing(process.env);
  const config = readConfig(process.env);
  assertSlackConfigured(config);
  const log = createLogger(config.logLevel);
  const access = watchAccessFile(config.accessFile, { log });
  const policy = access.current;

  const metrics = createMetrics();
  measureProcess(metrics);
  let findProblems = async (): Promise<readonly string[]> => ["starting, or standing by"];
  const renderMetrics = () => metrics.render();
  const parts = { findProblems: () => findProblems(), renderMetrics };
  const probes = config.healthPort === null ? null : await serveHealth(config.healthPort, parts);

  const lead = await waitToLead(join(config.dataDir, "leader.sqlite"), log);
  const state = openState(join(config.dataDir, "state.sqlite"));
  const store = await createPassageStore(config);
  measureKnowledge(metrics, access, store);
  // The embedding model loads on its own thread while Slack is asked who we are.
  const answering = prepareAnswering(config, policy, store, log);
  const answer: AnswerAudience = async (message, audience) => (await answering)(message, audience);
  const audit = createAuditTrail({ directory: config.dataDir, ...config.audit, log });
  const { answerWithinMs, threadReplies } = config;
  const recordFeedback = createFeedback(config.dataDir);
  const operations = { policyStatus: access.status, currentIndex: () => store.currentIndex() };
  const settings = { settings: config.slack, policy, answer, state, audit, log, metrics };
  const [bot] = await Promise.all([
    createSlackBot({
      ...settings,
      findRunbooks: (sourceIds, allowed) => store.findRunbooks(sourceIds, allowed),
      recordFeedback,
      answerWithinMs,
      threadReplies,
      operations,
    }),
    answering,
  ]);
  metrics.gauge("runbook_open_questions", "Questions that are being answered.", () => bot.openQuestions());
  await bot.start();
  findProblems = async () => [...bot.findProblems(), ...(await findKnowledgeProblems(policy(), store))];
  log.info({ transport: config.slack.appToken === null ? "http" : "socket", policy: policy().version }, "ready");

  const stop = async (signal: string) => {
    log.info({ signal }, "stopping");
    await bot.stop(DRAIN_MS);
    access.stop();
    state.close();
    await store.close();
    await probes?.close();
    lead.release();
    log.info("stopped");
    process.exit(0);
  };
  for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => void stop(signal));
}

/** A second bot on the same data would answer everything twice: it waits until the first one is gone. */
async function waitToLead(path: string, log: Logger): Promise<Leadership> {
  for (let waits = 0; ; waits += 1) {
    const lead = tryToLead(path);
    if (lead !== null) return lead;
    if (waits === 0) log.warn({ leader: whoLeads(path), dataDir: dirname(path) }, "standing_by");
    await sleep(STAND_BY_MS);
  }
}

async function prepareAnswering(config: Config, policy: () => AccessPolicy, store: PassageStore, log: Logger) {
  const embeddingModel = await createEmbeddingModel(config.models);
  await ensureIndex(config, policy(), store, embeddingModel, log);
  const chat = await createChat(config.models, log);
  return createAnswering({ policy, store, embeddingModel, chat, modelBudgetMs: config.models.timeoutMs });
}

/** The embedded index is made when there is none; Qdrant's is the admin's to make. */
async function ensureIndex(
  config: Config,
  policy: AccessPolicy,
  store: PassageStore,
  embeddingModel: EmbeddingModel,
  log: Logger,
): Promise<void> {
  const index = await store.currentIndex();
  if (index !== null) return assertIndexFits(index, embeddingModel.info);
  if (config.qdrant !== null) throw new PipelineError("freshness", "Qdrant has no index yet; run: npm run reindex");
  const cache = openEmbeddingCache(join(config.dataDir, "embeddings.sqlite"), embeddingModel.info);
  // Seldom needed, and a good part of the start.
  const { indexRunbooks } = await import("./indexing/index-runbooks.ts");
  const request = { directory: config.runbooksDir, policy, store, embeddingModel, cache, full: false, skipBad: true };
  const { documents, failures } = await indexRunbooks(request).finally(() => cache.close());
  log.info({ documents: documents.total, failures: failures.length }, "index_made");
}

main().catch((error: unknown) => {
  const known = error instanceof ConfigurationError || error instanceof PipelineError;
  process.stderr.write(`${hideSecrets(known ? error.message : `unexpected: ${String(error)}`)}\n`);
  process.exit(error instanceof ConfigurationError ? 2 : 1);
});
