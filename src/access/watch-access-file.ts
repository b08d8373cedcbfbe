import { watch, type FSWatcher } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

import { ConfigurationError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { AccessPolicy } from "./access-policy.ts";
import { partsDirectoryOf, readAccessSources, versionOf, type AccessSource } from "./access-sources.ts";
import { judgeEdit } from "./judge-edit.ts";
import { readAccessFile } from "./read-access-file.ts";
import { NOTHING_STATED, withdrawGrants } from "./withdraw-grants.ts";

/**
 * `good`: the file as it is. `narrowed`: the last good one without what a bad edit takes away. `unreadable`: the same, but
 * the edit is no YAML or the file is gone, so that it ends soon. `closed`: nothing is shown to anybody.
 */
export type PolicyState = "good" | "narrowed" | "unreadable" | "closed";

export interface PolicyStatus {
  readonly state: PolicyState;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `path:line: what`, for admins only: they name services. */
  readonly problems: readonly string[];
}

export interface WatchedPolicy {
  /** The policy of this moment; an answer that began with another one is not posted. */
  readonly current: () => AccessPolicy;
  readonly status: () => PolicyStatus;
  stop(): void;
}

export interface WatchSettings {
  readonly log: Logger;
  /** How often the files are read, whatever the system says of them: network disks and ConfigMaps tell nothing. */
  readonly pollMs?: number;
  /** An edit counts when it has not changed for so long: editors write in pieces. */
  readonly settleMs?: number;
  /** How long the last good policy holds while the file can't be understood at all. */
  readonly graceMs?: number;
  readonly now?: () => number;
}

const MOST_READS = 20;

/**
 * Reads the access file and follows its edits. A good one is live within seconds. What a bad one takes away is withdrawn
 * at once, and what it adds is not granted.
 * @throws ConfigurationError when the file is bad from the start.
 */
export function watchAccessFile(path: string, settings: WatchSettings): WatchedPolicy {
  const { log, pollMs = 2000, settleMs = 300, graceMs = 15 * 60_000, now = Date.now } = settings;
  let lastGood = readAccessFile(path);
  let policy = lastGood;
  let judged = lastGood.version;
  let status: PolicyStatus = { state: "good", since: now(), problems: [] };

  function enter(state: PolicyState, next: AccessPolicy, problems: readonly string[]): void {
    const since = state !== "good" && state === status.state ? status.since : now();
    // One reference is replaced: an answer has the policy of before or of now, never half of each.
    policy = next;
    status = { state, since, problems };
  }

  function judge(sources: readonly AccessSource[] | null, seen: string): void {
    const verdict = judgeEdit({ lastGood, current: policy }, sources, seen);
    judged = seen;
    if (verdict.kind === "good") {
      const reindex = !haveSamePaths(lastGood, verdict.policy);
      lastGood = verdict.policy;
      enter("good", verdict.policy, []);
      log.info({ policy: policy.version, ...(reindex ? { next: "npm run reindex" } : {}) }, "policy_changed");
      return;
    }
    const staysClosed = status.state === "closed" && verdict.kind === "unreadable";
    enter(staysClosed ? "closed" : verdict.kind, verdict.policy, verdict.problems);
    // Places only: what a problem says may name a service.
    const places = verdict.problems.slice(0, 20).map((problem) => /^.*?:\d+(?=:)/.exec(problem)?.[0] ?? path);
    const fields = { state: status.state, policy: policy.version, problems: verdict.problems.length, places };
    log.error({ ...fields, alarm: "policy_bad", next: "npm run access" }, "policy_refused");
  }

  async function check(): Promise<void> {
    const [sources, seen] = await readSettled(path, judged, settleMs);
    if (seen !== judged) judge(sources, seen);
    if (status.state === "unreadable" && now() - status.since >= graceMs) {
      enter("closed", withdrawGrants(lastGood, NOTHING_STATED, `closed-${lastGood.version}`), status.problems);
      log.fatal({ alarm: "policy_closed", next: "npm run access" }, "policy_closed");
    }
  }

  const checks = repeat(check, pollMs, (error) =>
    log.error({ reason: error instanceof Error ? error.name : "unknown" }, "policy_watch_failed"),
  );
  const watchers = [dirname(path), partsDirectoryOf(path)].map((directory) => watchDirectory(directory, checks.soon));
  return {
    current: () => policy,
    status: () => status,
    stop() {
      checks.stop();
      for (const watcher of watchers) watcher?.close();
    },
  };
}

/** Reads until two readings agree; what is known already needs no second one. */
async function readSettled(
  path: string,
  known: string,
  settleMs: number,
): Promise<readonly [readonly AccessSource[] | null, string]> {
  let [sources, seen] = readNow(path);
  for (let reads = 1; seen !== known && reads < MOST_READS; reads += 1) {
    await sleep(settleMs, undefined, { ref: false });
    const before = seen;
    [sources, seen] = readNow(path);
    if (seen === before) break;
  }
  return [sources, seen];
}

function readNow(path: string): readonly [readonly AccessSource[] | null, string] {
  try {
    const sources = readAccessSources(path);
    return [sources, versionOf(sources)];
  } catch (error) {
    if (error instanceof ConfigurationError) return [null, "unreadable"];
    throw error;
  }
}

function haveSamePaths(before: AccessPolicy, after: AccessPolicy): boolean {
  const paths = (policy: AccessPolicy) =>
    JSON.stringify([...policy.services.values()].map(({ name, aliases, runbooks }) => [name, aliases, runbooks]));
  return paths(before) === paths(after);
}

/** The system's word only makes the next look come sooner, so its failures don't matter. */
function watchDirectory(directory: string, onChange: () => void): FSWatcher | null {
  try {
    const watcher = watch(directory, { persistent: false }, onChange);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return null;
  }
}

/** Runs `work` again and again, never twice at once; `soon` makes the next run come now. */
function repeat(work: () => Promise<void>, everyMs: number, onFailure: (error: unknown) => void) {
  let running = false;
  let wanted = false;
  const run = async (): Promise<void> => {
    wanted = false;
    running = true;
    await work().catch(onFailure);
    running = false;
    if (wanted) void run();
  };
  const soon = () => {
    wanted = true;
    if (!running) void run();
  };
  const timer = setInterval(soon, everyMs).unref();
  return { soon, stop: () => clearInterval(timer) };
}
