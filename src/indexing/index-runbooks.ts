import type { AccessPolicy } from "../access/access-policy.ts";
import type { EmbeddingModel } from "../models/embedding-model.ts";
import type { EmbeddingCache } from "../store/embedding-cache.ts";
import type { PassageStore } from "../store/passage-store.ts";
import { describeIndex } from "./describe-index.ts";
import { embedRunbooks } from "./embed-runbooks.ts";
import { reportRun, type EmbeddingProgress, type IndexingReport } from "./indexing-report.ts";
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
  readonly onProgress?: (progress: EmbeddingProgress & { readonly runbooks: number }) => void;
}

/**
 * Index time: load → plan → split → embed → publish. A bad file stops the publication unless `skipBad` says otherwise;
 * a failure on the way leaves the published index as it was.
 * @throws PipelineError `indexing` (no runbooks, unwritable index), `dependency` (the embedding model or the store).
 */
export async function indexRunbooks(request: IndexingRequest): Promise<IndexingReport> {
  const { directory, policy, store, embeddingModel, cache } = request;
  const started = performance.now();
  let embedded = 0;
  const onProgress = (progress: EmbeddingProgress) => {
    embedded += progress.embedded;
    request.onProgress?.({ ...progress, runbooks: plan.added.length + plan.changed.length });
  };

  const loaded = await loadRunbooks(directory, policy);
  const published = await readPublished(store);
  const plan = planIndexing(loaded.runbooks, published, { model: embeddingModel.info, policy, full: request.full });
  const report = (version: typeof publishedNow) =>
    reportRun({ loaded, plan, embedded, published: version, model: embeddingModel.info, started });
  let publishedNow = published?.index ?? null;
  if (loaded.failures.length > 0 && !request.skipBad) return report(null);

  const header = await describeIndex({ loaded, policy, model: embeddingModel.info });
  if (isUpToDate(plan, publishedNow, header)) return report(publishedNow);

  const split = splitRunbooks(readRunbooks(loaded, [...plan.added, ...plan.changed]));
  const indexed = embedRunbooks(split, { embeddingModel, cache, policy, onProgress });
  publishedNow = await store.publish(header, plan.kept, indexed);
  cache.trim(2 * (publishedNow.chunks + publishedNow.documents));
  return report(publishedNow);
}
