import type { DatabaseSync } from "node:sqlite";

import { z } from "zod";

import type { AllowedServices } from "../access/allowed-services.ts";
import type { Chunk, RunbookMetadata } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import { CHUNK_SCHEME, FIELDS, RUNBOOK_SCHEME } from "./bm25f.ts";
import { toBytes } from "./embedding-cache.ts";
import { viewPostings } from "./pack-postings.ts";
import type { IndexHeader, IndexVersion, RankedChunk, SearchResult, StoreQuery } from "./passage-store.ts";
import { rankCandidates, type ChunkCandidate, type RankedCandidate, type RunbookCandidate } from "./rank-candidates.ts";
import { scoreKeywords, type KeywordScores, type TextLengths } from "./score-keywords.ts";
import { KIND_CHUNK, KIND_RUNBOOK, SCHEMA_VERSION } from "./sqlite-schema.ts";

/** One published index file, open for reading; it stays readable after a newer one has taken its place. */
export interface IndexReader {
  readonly version: IndexVersion;
  search(query: StoreQuery, allowedServices: AllowedServices, limit: number): SearchResult;
  findRunbooks(sourceIds: readonly string[], allowedServices: AllowedServices): RunbookMetadata[];
  chunksOf(sourceId: string, allowedServices: AllowedServices): Chunk[];
  listRunbooks(): RunbookMetadata[];
  close(): void;
}

const ChunkRow = z.object({
  id: z.number(),
  metadata: z.string(),
  heading_trail: z.string(),
  start_index: z.number(),
  start_line: z.number(),
  text: z.string(),
});

/** @throws PipelineError `freshness` when the file is no complete index of this version of the bot. */
export function createIndexReader(database: DatabaseSync): IndexReader {
  const meta = (key: string) => database.prepare("SELECT value FROM meta WHERE key = ?").get(key)?.["value"];
  if (meta("schema") !== SCHEMA_VERSION) {
    throw new PipelineError("freshness", "the index was made by another version; run: npm run reindex -- --full");
  }
  const header = JSON.parse(meta("header") as string) as IndexHeader;
  const count = (table: string) => database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"] as number;
  const version = {
    ...header,
    version: meta("version") as string,
    documents: count("runbooks"),
    chunks: count("chunks"),
  };
  const lengths: TextLengths = {
    chunks: toNumbers(meta("lengths_chunks")),
    runbooks: toNumbers(meta("lengths_runbooks")),
  };
  const runbookOfChunk = toNumbers(meta("runbook_of_chunk"));

  const selectPostings = database.prepare(`
    SELECT kind, term, data FROM postings
    WHERE term IN (SELECT value FROM json_each(?1)) AND service IN (SELECT value FROM json_each(?2))`);
  const selectStatistics = database.prepare(`
    SELECT kind, sum(texts) AS texts, sum(title) AS title, sum(headings) AS headings, sum(path) AS path,
      sum(service_terms) AS service, sum(body) AS body
    FROM service_statistics WHERE service IN (SELECT value FROM json_each(?)) GROUP BY kind`);
  const selectCosines = database.prepare(`
    SELECT chunk_id, 1 - vec_distance_cosine(embedding, ?1) AS cosine FROM chunk_vectors
    WHERE service IN (SELECT value FROM json_each(?2))`);
  const selectSummaries = database.prepare(`
    SELECT id, metadata, 1 - vec_distance_cosine(summary, ?1) AS cosine FROM runbooks
    WHERE service IN (SELECT value FROM json_each(?2))`);
  const selectChunks = database.prepare(`
    SELECT chunks.id, metadata, heading_trail, start_index, start_line, text
    FROM chunks JOIN runbooks ON runbooks.id = chunks.runbook_id
    WHERE chunks.id IN (SELECT value FROM json_each(?1)) AND chunks.service IN (SELECT value FROM json_each(?2))`);
  const selectChunksOf = database.prepare(`
    SELECT chunks.id, metadata, heading_trail, start_index, start_line, text
    FROM chunks JOIN runbooks ON runbooks.id = chunks.runbook_id
    WHERE source_id = ?1 AND runbooks.service IN (SELECT value FROM json_each(?2)) ORDER BY start_index`);
  const selectRunbooks = database.prepare(`
    SELECT metadata FROM runbooks
    WHERE source_id IN (SELECT value FROM json_each(?1)) AND service IN (SELECT value FROM json_each(?2))
    ORDER BY source_id`);

  function scoreByKeywords(query: StoreQuery, services: string): KeywordScores {
    const postings = selectPostings.all(JSON.stringify([...query.terms.keys()]), services).map((row) => ({
      kind: row["kind"] as number,
      term: row["term"] as string,
      records: viewPostings(row["data"] as Uint8Array),
    }));
    const statisticsOf = (kind: number) => {
      const row = selectStatistics.all(services).find((statistics) => statistics["kind"] === kind);
      const texts = (row?.["texts"] as number | undefined) ?? 0;
      const averageLengths = FIELDS.map((field) => (texts === 0 ? 0 : (row?.[field] as number) / texts));
      return { texts, averageLengths };
    };
    const ofKind = (kind: number) => postings.filter((posting) => posting.kind === kind);
    return {
      chunks: scoreKeywords(CHUNK_SCHEME, query.terms, ofKind(KIND_CHUNK), statisticsOf(KIND_CHUNK), lengths.chunks),
      runbooks: scoreKeywords(
        RUNBOOK_SCHEME,
        query.terms,
        ofKind(KIND_RUNBOOK),
        statisticsOf(KIND_RUNBOOK),
        lengths.runbooks,
      ),
    };
  }

  return {
    version,
    search(query, allowedServices, limit) {
      const services = JSON.stringify([...allowedServices]);
      const embedding = toBytes(query.embedding);
      const keywords = scoreByKeywords(query, services);

      const chunksByRunbook = new Map<number, ChunkCandidate[]>();
      for (const row of selectCosines.iterate(embedding, services)) {
        const chunkId = row["chunk_id"] as number;
        const runbookId = runbookOfChunk[chunkId] ?? 0;
        const candidate = {
          chunkId,
          cosine: row["cosine"] as number,
          keywords: keywords.chunks.scores.get(chunkId) ?? 0,
        };
        const siblings = chunksByRunbook.get(runbookId);
        if (siblings) siblings.push(candidate);
        else chunksByRunbook.set(runbookId, [candidate]);
      }
      const candidates: RunbookCandidate[] = [];
      for (const row of selectSummaries.iterate(embedding, services)) {
        const id = row["id"] as number;
        candidates.push({
          runbook: JSON.parse(row["metadata"] as string) as RunbookMetadata,
          summaryCosine: row["cosine"] as number,
          keywords: keywords.runbooks.scores.get(id) ?? 0,
          chunks: chunksByRunbook.get(id) ?? [],
        });
      }
      const ranked = rankCandidates(candidates, limit);
      return {
        runbooks: fetchChunks(ranked, keywords, services),
        termIdf: keywords.chunks.idf,
        indexVersion: version.version,
      };
    },
    findRunbooks: (sourceIds, allowedServices) =>
      selectRunbooks
        .all(JSON.stringify(sourceIds), JSON.stringify([...allowedServices]))
        .map((row) => JSON.parse(row["metadata"] as string) as RunbookMetadata),
    chunksOf: (sourceId, allowedServices) =>
      selectChunksOf.all(sourceId, JSON.stringify([...allowedServices])).map((row) => toChunk(ChunkRow.parse(row))),
    listRunbooks: () =>
      database
        .prepare("SELECT metadata FROM runbooks ORDER BY source_id")
        .all()
        .map((row) => JSON.parse(row["metadata"] as string) as RunbookMetadata),
    close: () => database.close(),
  };

  function fetchChunks(ranked: readonly RankedCandidate[], keywords: KeywordScores, services: string) {
    const ids = ranked.flatMap((candidate) => candidate.chunks.map((chunk) => chunk.chunkId as number));
    const rows = new Map(
      selectChunks.all(JSON.stringify(ids), services).map((row) => {
        const parsed = ChunkRow.parse(row);
        return [parsed.id, toChunk(parsed)] as const;
      }),
    );
    return ranked.map(({ runbook, score, parts, chunks }) => ({
      runbook,
      score,
      parts,
      chunks: chunks.flatMap((chunk): RankedChunk[] => {
        const id = chunk.chunkId as number;
        const stored = rows.get(id);
        if (stored === undefined) return [];
        return [
          { chunk: stored, score: chunk.score, parts: chunk.parts, matchedTerms: keywords.chunks.matchedTerms(id) },
        ];
      }),
    }));
  }
}

function toChunk(row: z.infer<typeof ChunkRow>): Chunk {
  const { sourceId, title, service, path } = JSON.parse(row.metadata) as RunbookMetadata;
  return {
    sourceId,
    title,
    service,
    path,
    headingTrail: JSON.parse(row.heading_trail) as string[],
    startIndex: row.start_index,
    startLine: row.start_line,
    text: row.text,
  };
}

function toNumbers(value: unknown): Uint32Array {
  return new Uint32Array((value as Uint8Array).slice().buffer);
}
