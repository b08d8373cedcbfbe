import type { EmbeddingModelInfo, IndexVersion } from "../store/passage-store.ts";
import type { LoadedDirectory } from "./load-runbooks.ts";
import type { IndexingPlan } from "./plan-indexing.ts";

/** Something about one file that its author or an admin should know. `line` counts from 1. */
export interface FileProblem {
  readonly path: string;
  readonly line: number | null;
  readonly reason: string;
}

export interface LeftOut {
  readonly path: string;
  readonly reason: string;
}

/** Texts embedded now, and texts whose embedding was known. */
export interface EmbeddingProgress {
  readonly embedded: number;
  readonly reused: number;
}

/** What a run of the indexing story did. */
export interface IndexingReport {
  readonly published: boolean;
  /** False when a file failed, whether or not the rest was published. */
  readonly complete: boolean;
  readonly indexVersion: string | null;
  readonly model: EmbeddingModelInfo;
  readonly documents: { total: number; added: number; changed: number; removed: number; unchanged: number };
  readonly chunks: { total: number; embedded: number; reused: number };
  readonly failures: readonly FileProblem[];
  readonly warnings: readonly FileProblem[];
  readonly leftOut: readonly LeftOut[];
  /** Milliseconds. */
  readonly durationMs: number;
}

export function reportRun(run: {
  readonly loaded: LoadedDirectory;
  readonly plan: IndexingPlan;
  readonly embedded: number;
  readonly published: IndexVersion | null;
  readonly model: EmbeddingModelInfo;
  readonly started: number;
}): IndexingReport {
  const { loaded, plan, published } = run;
  const chunks = published?.chunks ?? 0;
  return {
    published: published !== null,
    complete: loaded.failures.length === 0,
    indexVersion: published?.version ?? null,
    model: run.model,
    documents: {
      total: published?.documents ?? 0,
      added: plan.added.length,
      changed: plan.changed.length,
      removed: plan.removed.length,
      unchanged: plan.kept.size,
    },
    chunks: { total: chunks, embedded: run.embedded, reused: Math.max(0, chunks - run.embedded) },
    failures: loaded.failures,
    warnings: loaded.warnings,
    leftOut: loaded.leftOut,
    durationMs: Math.round(performance.now() - run.started),
  };
}
