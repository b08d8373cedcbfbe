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

/** What is done since the last time: texts embedded, texts whose embedding was known, runbooks that have all of theirs. */
export interface EmbeddingProgress {
  readonly embedded: number;
  readonly reused: number;
  readonly runbooks: number;
}

/** What is done so far; `toIndex` is how many runbooks there are to make. */
export interface IndexingProgress {
  readonly texts: number;
  readonly runbooks: number;
  readonly toIndex: number;
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

export interface IndexingRun {
  readonly onProgress: (progress: EmbeddingProgress, plan: IndexingPlan) => void;
  /** `index` is what is published now; null when nothing was. */
  report(loaded: LoadedDirectory, plan: IndexingPlan, index: IndexVersion | null): IndexingReport;
}

/** Counts what a run does from here on. */
export function startRun(request: {
  readonly embeddingModel: { readonly info: EmbeddingModelInfo };
  readonly onProgress?: (progress: IndexingProgress) => void;
}): IndexingRun {
  const started = performance.now();
  let [embedded, reused, runbooks] = [0, 0, 0];
  return {
    onProgress(progress, { added, changed }) {
      embedded += progress.embedded;
      reused += progress.reused;
      runbooks += progress.runbooks;
      request.onProgress?.({ texts: embedded + reused, runbooks, toIndex: added.length + changed.length });
    },
    report(loaded, plan, index) {
      const chunks = index?.chunks ?? 0;
      return {
        published: index !== null,
        complete: loaded.failures.length === 0,
        indexVersion: index?.version ?? null,
        model: request.embeddingModel.info,
        documents: {
          total: index?.documents ?? 0,
          added: plan.added.length,
          changed: plan.changed.length,
          removed: plan.removed.length,
          unchanged: plan.kept.size,
        },
        chunks: { total: chunks, embedded, reused: Math.max(0, chunks - embedded) },
        failures: loaded.failures,
        warnings: loaded.warnings,
        leftOut: loaded.leftOut,
        durationMs: Math.round(performance.now() - started),
      };
    },
  };
}
