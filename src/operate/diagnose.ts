import { accessSync, constants, mkdirSync } from "node:fs";
import { join } from "node:path";

import type { AccessPolicy } from "../access/access-policy.ts";
import { readAccessFile } from "../access/read-access-file.ts";
import { assertSlackConfigured, type Config } from "../config.ts";
import { ConfigurationError } from "../errors.ts";
import { readIndexStatus } from "../indexing/read-index-status.ts";
import { assertIndexFits } from "../models/assert-index-fits.ts";
import { createEmbeddingModel } from "../models/create-embedding-model.ts";
import { createPassageStore } from "../store/create-passage-store.ts";
import { tryToLead, whoLeads } from "../store/lead-alone.ts";
import { failure, fine, note, warning, type Finding } from "./finding.ts";

const TIMEOUT_MS = 8000;
const OLD_INDEX_DAYS = 30;

export function diagnoseConfiguration(config: Config): Finding[] {
  return listProblems(
    "configuration",
    () => assertSlackConfigured(config),
    "see README, Connect to Slack in ten steps",
  );
}

export function diagnoseAccess(config: Config): { policy: AccessPolicy | null; findings: Finding[] } {
  let policy: AccessPolicy | null = null;
  const fix = "mend the line; npm run access -- --help says how to look at what holds";
  const findings = listProblems("access file", () => (policy = readAccessFile(config.accessFile)), fix);
  return { policy, findings };
}

/** A directory that can be written, and whether a bot runs on it. */
export function diagnoseDataDirectory({ dataDir }: Config): Finding[] {
  try {
    mkdirSync(dataDir, { recursive: true });
    accessSync(dataDir, constants.W_OK);
  } catch (error) {
    const what = `${dataDir} can't be written (${(error as NodeJS.ErrnoException).code})`;
    return [failure("data directory", what, "set DATA_DIR to a directory of the user that runs the bot")];
  }
  const path = join(dataDir, "leader.sqlite");
  const lead = tryToLead(path, { announce: false });
  lead?.release();
  const running = lead === null ? `the bot runs: ${whoLeads(path)}` : "no bot runs on this directory";
  return [fine("data directory", dataDir), note("bot", running)];
}

export async function diagnoseIndex(config: Config, policy: AccessPolicy | null): Promise<Finding[]> {
  const store = await createPassageStore(config);
  const reindex = "npm run reindex";
  try {
    const { index, ageMs, stale, gone, missing } = await readIndexStatus(store, config.runbooksDir);
    const days = Math.floor(ageMs / 86_400_000);
    const what = `${index.documents} runbooks, made ${days} days ago`;
    const findings = [days >= OLD_INDEX_DAYS ? warning("index", what, reindex) : fine("index", what)];
    const changed = stale.length + gone.length + missing.length;
    if (changed > 0) findings.push(warning("index", `${changed} files changed, went or came since`, reindex));
    if (!index.complete)
      findings.push(warning("index", "bad files were skipped", "npm run reindex -- --check names them"));
    if (policy !== null && index.policyVersion !== policy.version) {
      findings.push(warning("index", "the access file changed since", `${reindex}, if paths of services changed`));
    }
    const { info } = await createEmbeddingModel(config.models);
    assertIndexFits(index, info);
    findings.push(fine("embedding model", `${info.name} made the index`));
    return findings;
  } catch (error) {
    return [failure("index", error instanceof Error ? error.message : "can't be read", reindex)];
  } finally {
    await store.close();
  }
}

export async function diagnoseChatModel({ chatModel, baseUrl, apiKey }: Config["models"]): Promise<Finding> {
  if (chatModel === null) return note("chat model", "none; the runbook's own words answer");
  const address = `${(baseUrl ?? "https://api.openai.com/v1").replace(/\/+$/, "")}/models`;
  const fix = "look at OPENAI_BASE_URL, OPENAI_API_KEY and the server; until then the runbook's own words answer";
  try {
    const headers: Record<string, string> = apiKey === null ? {} : { authorization: `Bearer ${apiKey}` };
    const response = await fetch(address, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    await response.body?.cancel();
    if (response.status === 404) return note("chat model", "the server is there, and does not list its models");
    if (!response.ok) return warning("chat model", `the server answers ${response.status}`, fix);
    return fine("chat model", `the server of ${chatModel} answers`);
  } catch {
    return warning("chat model", "the server does not answer", fix);
  }
}

function listProblems(check: string, work: () => void, fix: string): Finding[] {
  try {
    work();
    return [fine(check, "as it should be")];
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.problems.map((problem) => failure(check, problem, fix));
  }
}
