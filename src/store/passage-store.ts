import type { AllowedServices } from "../access/allowed-services.ts";
import type { Chunk, RunbookMetadata } from "../domain.ts";

/** Who made the vectors. Vectors of two models never meet (`isSameModel`). */
export interface EmbeddingModelInfo {
  readonly provider: "local" | "openai-compatible";
  readonly name: string;
  readonly dimensions: number;
  /** What is put before queries and texts, for models that were trained with task prefixes. */
  readonly prefixes: { readonly query: string; readonly document: string };
  /** The embedding of a fixed text: tells two models of one name and width apart. */
  readonly probe: readonly number[];
}

/** One field of a text for keyword search: each term with its count, and the number of terms. */
export interface TermField {
  readonly counts: ReadonlyMap<string, number>;
  readonly length: number;
}

/** What the keyword ranking (BM25F) knows of a chunk or a whole runbook, field by field. */
export interface KeywordFields {
  readonly title: TermField;
  readonly headings: TermField;
  readonly path: TermField;
  readonly service: TermField;
  readonly body: TermField;
}

export interface IndexedChunk {
  readonly chunk: Chunk;
  readonly embedding: Float32Array;
  readonly keywords: KeywordFields;
}

export interface IndexedRunbook {
  readonly runbook: RunbookMetadata;
  /** Embedding of title and first paragraphs. */
  readonly summaryEmbedding: Float32Array;
  readonly keywords: KeywordFields;
  readonly chunks: readonly IndexedChunk[];
}

export interface IndexHeader {
  readonly model: EmbeddingModelInfo;
  readonly chunkerVersion: string;
  /** The access file that gave the services. */
  readonly policyVersion: string;
  /** Each service's name and aliases as indexed: keyword search reads them. */
  readonly serviceLabels: Readonly<Record<string, string>>;
  /** ISO 8601. */
  readonly indexedAt: string;
  /** Commit of the runbooks' git work tree, where there is one. */
  readonly commit: string | null;
  /** False when bad files were skipped. */
  readonly complete: boolean;
  readonly failures: readonly { path: string; line: number | null; reason: string }[];
  readonly warnings: readonly { path: string; line: number | null; reason: string }[];
  readonly leftOut: readonly { path: string; reason: string }[];
}

export interface IndexVersion extends IndexHeader {
  readonly version: string;
  readonly documents: number;
  readonly chunks: number;
}

/** A query ready for a store: terms with their weights, and the embedding of the words. */
export interface StoreQuery {
  readonly embedding: Float32Array;
  /** Query weight of each term (its count up to 2; terms of earlier turns count 0.6). */
  readonly terms: ReadonlyMap<string, number>;
  /** Left out: those of `rank-candidates.ts`. Evaluation ranks by single parts, to tell what each is worth. */
  readonly weights?: PartWeights;
}

/** What each part counts in the sum; none is negative. */
export type PartWeights = Readonly<Record<keyof ScoreParts, number>>;

/** The parts of a runbook's score, each as documented in `rank-candidates.ts`. */
export interface ScoreParts {
  readonly chunkCosine: number;
  readonly summaryCosine: number;
  readonly chunkKeywords: number;
  readonly runbookKeywords: number;
}

export interface RankedChunk {
  readonly chunk: Chunk;
  readonly score: number;
  readonly parts: ScoreParts;
  /** Query terms that stand in this chunk, with their idf among the allowed services. */
  readonly matchedTerms: ReadonlyMap<string, number>;
}

/** The best runbooks for a query, best first, each with its best chunks, best first. */
export interface RankedRunbook {
  readonly runbook: RunbookMetadata;
  readonly score: number;
  readonly parts: ScoreParts;
  readonly chunks: readonly RankedChunk[];
}

export interface SearchResult {
  readonly runbooks: readonly RankedRunbook[];
  /** idf of every query term among the allowed services; a term that none of them holds has the highest. */
  readonly termIdf: ReadonlyMap<string, number>;
  readonly indexVersion: string;
}

/**
 * Where chunks live. Both implementations run the contract suite in `tests/store/passage-store-contract.ts` and give
 * the same answers to the same filters. `allowedServices` is applied inside the store; with none, nothing is found.
 */
export interface PassageStore {
  /** The published index, or null when there is none. */
  currentIndex(): Promise<IndexVersion | null>;
  /** @throws PipelineError `dependency` when the store does not answer, `freshness` when the index is unusable. */
  search(query: StoreQuery, allowedServices: AllowedServices, limit: number): Promise<SearchResult>;
  /** Exact look-up of runbooks by `source_id`, behind the same filter as the search. */
  findRunbooks(sourceIds: readonly string[], allowedServices: AllowedServices): Promise<readonly RunbookMetadata[]>;
  /** Chunks of one runbook in file order, behind the same filter. */
  chunksOf(sourceId: string, allowedServices: AllowedServices): Promise<readonly Chunk[]>;
  /** Every runbook's metadata: for indexing and status, never for answers. */
  listRunbooks(): Promise<readonly RunbookMetadata[]>;
  /**
   * Publishes a new index in one atomic switch: runbooks whose `source_id` is in `kept` are carried over from the
   * published one, `changed` are added, all others go. On any failure the old one stays.
   */
  publish(
    header: IndexHeader,
    kept: ReadonlySet<string>,
    changed: AsyncIterable<IndexedRunbook>,
  ): Promise<IndexVersion>;
  close(): Promise<void>;
}
