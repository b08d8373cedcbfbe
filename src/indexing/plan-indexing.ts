import type { AccessPolicy } from "../access/access-policy.ts";
import type { RunbookMetadata } from "../domain.ts";
import { isSameModel } from "../models/embedding-model.ts";
import { PipelineError } from "../errors.ts";
import type { EmbeddingModelInfo, IndexHeader, IndexVersion, PassageStore } from "../store/passage-store.ts";
import { CHUNKER_VERSION } from "./split-runbook.ts";

/** What the published index already has, what must be made anew, and what goes. */
export interface IndexingPlan {
  /** `source_id`s whose chunks, vectors and labels are carried over as they are. */
  readonly kept: ReadonlySet<string>;
  readonly added: readonly RunbookMetadata[];
  readonly changed: readonly RunbookMetadata[];
  readonly removed: readonly RunbookMetadata[];
}

export interface PublishedIndex {
  readonly index: IndexVersion;
  readonly runbooks: readonly RunbookMetadata[];
}

/** The published index, or null when there is none that can be read: then everything is made anew. */
export async function readPublished(store: PassageStore): Promise<PublishedIndex | null> {
  try {
    const index = await store.currentIndex();
    return index === null ? null : { index, runbooks: await store.listRunbooks() };
  } catch (error) {
    if (error instanceof PipelineError && error.kind === "freshness") return null;
    throw error;
  }
}

/** Would a new index say the same as the published one? */
export function isUpToDate(plan: IndexingPlan, published: IndexVersion, header: IndexHeader): boolean {
  if (plan.added.length + plan.changed.length + plan.removed.length > 0) return false;
  const says = ({ commit, policyVersion, complete, failures, warnings, leftOut, serviceLabels: labels }: IndexHeader) =>
    JSON.stringify({ commit, policyVersion, complete, failures, warnings, leftOut, labels });
  return says(published) === says(header);
}

/**
 * A runbook is kept when its bytes, its title, its service with the aliases, the chunker and the embedding model are
 * those of the published index.
 */
export function planIndexing(
  wanted: readonly RunbookMetadata[],
  published: PublishedIndex | null,
  {
    model,
    policy,
    full,
  }: { readonly model: EmbeddingModelInfo; readonly policy: AccessPolicy; readonly full: boolean },
): IndexingPlan {
  const before = new Map(published?.runbooks.map((runbook) => [runbook.sourceId, runbook]));
  const reusable =
    !full &&
    published !== null &&
    published.index.chunkerVersion === CHUNKER_VERSION &&
    isSameModel(published.index.model, model);
  const labels = serviceLabels(policy);
  const isKept = (runbook: RunbookMetadata): boolean => {
    const old = before.get(runbook.sourceId);
    if (!reusable || old === undefined) return false;
    const sameLabels = published.index.serviceLabels[runbook.service] === labels[runbook.service];
    return sameLabels && JSON.stringify(old) === JSON.stringify(runbook);
  };
  const wantedIds = new Set(wanted.map((runbook) => runbook.sourceId));
  const kept = wanted.filter(isKept);
  const keptIds = new Set(kept.map((runbook) => runbook.sourceId));
  return {
    kept: keptIds,
    added: wanted.filter(({ sourceId }) => !before.has(sourceId)),
    changed: wanted.filter(({ sourceId }) => before.has(sourceId) && !keptIds.has(sourceId)),
    removed: [...before.values()].filter(({ sourceId }) => !wantedIds.has(sourceId)),
  };
}

export function serviceLabels(policy: AccessPolicy): Record<string, string> {
  return Object.fromEntries(
    [...policy.services.values()].map(({ name, aliases }) => [name, [name, ...aliases].join("\n")]),
  );
}
