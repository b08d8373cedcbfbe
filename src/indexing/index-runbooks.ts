import type { AccessPolicy } from "../access/access-policy.ts";
import type { EmbeddingModel } from "../models/embedding-model.ts";
import { withoutReads, type EmbeddingCache } from "../store/embedding-cache.ts";
import type { PassageStore } from "../store/passage-store.ts";
import { describeIndex } from "./describe-index.ts";
import { embedRunbooks } from "./embed-runbooks.ts";
import { startRun, type EmbeddingProgress, type IndexingProgress, type IndexingReport } from "./indexing-report.ts";
import { loadRunbooks, readRunbooks } from "./load-runbooks.ts";
import { isUpToDate, planIndexing, readPublished } from "./plan-indexing.ts";
import { splitRunbooks } from "./split-runbook.ts";

export interface IndexingRequest {
  readonly directory: string;
  readonly policy: AccessPolicy;
  readonly store: PassageStore;
  readonly embeddingModel: EmbeddingModel;
  readonly cache: EmbeddingCache;
  /** Ignore what is already indexed. */
  readonly full: boolean;
  /** Publish the good files although some are bad. */
  readonly skipBad: boolean;
  readonly onProgress?: (progress: IndexingProgress) => void;
}

/**
 * Index time: load → plan → split → embed → publish. A bad file stops the publication unless `skipBad` says otherwise;
 * a failure on the way leaves the published index as it was.
 * @throws PipelineError `indexing` (no runbooks, unwritable index), `dependency` (the embedding model or the store).
 */
export async function indexRunbooks(request: IndexingRequest): Promise<IndexingReport> {
  const { directory, policy, store, embeddingModel, full } = request;
  const cache = full ? withoutReads(request.cache) : request.cache;
  const run = startRun(request);

  const published = await readPublished(store);
  const loaded = await loadRunbooks(directory, policy, full ? null : published);
  const plan = planIndexing(loaded.runbooks, published, { model: embeddingModel.info, policy, full });
  if (loaded.failures.length > 0 && !request.skipBad) return run.report(loaded, plan, null);

  const header = await describeIndex({ loaded, policy, model: embeddingModel.info });
  if (published !== null && isUpToDate(plan, published.index, header)) return run.report(loaded, plan, published.index);

  const split = splitRunbooks(readRunbooks(loaded, [...plan.added, ...plan.changed]));
  const onProgress = (progress: EmbeddingProgress) => run.onProgress(progress, plan);
  const embedded = embedRunbooks(split, { embeddingModel, cache, policy, onProgress });
  const version = await store.publish(header, plan.kept, embedded);
  cache.trim(2 * (version.chunks + version.documents));
  return run.report(loaded, plan, version);
}
