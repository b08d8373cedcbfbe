import { monitorEventLoopDelay } from "node:perf_hooks";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { WatchedPolicy } from "../access/watch-access-file.ts";
import type { PassageStore } from "../store/passage-store.ts";
import type { MetricsRegistry } from "./metrics.ts";

/** What is measured at each scrape. */
export function measureProcess(metrics: MetricsRegistry): void {
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  metrics.gauge("process_resident_memory_bytes", "Memory of this process.", () => process.memoryUsage.rss());
  metrics.gauge("process_uptime_seconds", "Since the start.", () => process.uptime());
  metrics.gauge("nodejs_eventloop_lag_p99_seconds", "Since the last scrape.", () => {
    const seconds = delay.percentile(99) / 1e9;
    delay.reset();
    return seconds;
  });
}

export function measureKnowledge(metrics: MetricsRegistry, access: WatchedPolicy, store: PassageStore): void {
  metrics.gauge("runbook_policy_good", "1: the access file is good; 0: an edit was refused.", () =>
    access.status().state === "good" ? 1 : 0,
  );
  metrics.gauge("runbook_index_age_seconds", "Since the index was made.", async () => {
    const index = await store.currentIndex();
    return index === null ? Number.NaN : (Date.now() - Date.parse(index.indexedAt)) / 1000;
  });
}

/** Why nothing could be answered, whatever was asked; fixed words, since whoever probes may read no runbook. */
export async function findKnowledgeProblems(policy: AccessPolicy, store: PassageStore): Promise<string[]> {
  const problems = policy.services.size === 0 ? ["the access file could not be understood for too long"] : [];
  const index = await store.currentIndex().catch(() => "unreachable" as const);
  if (index === "unreachable") problems.push("the store does not answer");
  else if (index === null) problems.push("there is no index");
  return problems;
}
