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

/** What is done since the last time; what is left out is nothing. */
export interface EmbeddingProgress {
  readonly embedded?: number;
  /** Texts whose embedding was known. */
  readonly reused?: number;
  /** Runbooks that have all of theirs. */
  readonly runbooks?: number;
  /** What comes next: so many runbooks have so many texts. */
  readonly gathered?: { readonly runbooks: number; readonly texts: number };
}

/** What is done so far. */
export interface IndexingProgress {
  readonly embedded: number;
  readonly reused: number;
  /** Texts that there will be, judged by the runbooks seen so far. */
  readonly expected: number;
  readonly runbooks: number;
  /** Runbooks that there are to make. */
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
  const gathered = { runbooks: 0, texts: 0 };
  return {
    onProgress(progress, { added, changed }) {
      embedded += progress.embedded ?? 0;
      reused += progress.reused ?? 0;
      runbooks += progress.runbooks ?? 0;
      gathered.runbooks += progress.gathered?.runbooks ?? 0;
      gathered.texts += progress.gathered?.texts ?? 0;
      const toIndex = added.length + changed.length;
      const expected = Math.round((gathered.texts * toIndex) / Math.max(1, gathered.runbooks));
      request.onProgress?.({ embedded, reused, expected, runbooks, toIndex });
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
