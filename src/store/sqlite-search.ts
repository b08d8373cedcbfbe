import type { DatabaseSync } from "node:sqlite";

import type { AllowedServices } from "../access/allowed-services.ts";
import type { RunbookMetadata } from "../domain.ts";
import { CHUNK_SCHEME, FIELDS, RUNBOOK_SCHEME } from "./bm25f.ts";
import { toFloats } from "./embedding-cache.ts";
import { viewPostings } from "./pack-postings.ts";
import type { RankedChunk, RankedRunbook, ScoreParts, StoreQuery } from "./passage-store.ts";
import { rankCandidates, roundCosine, sumParts, type RunbookCandidate } from "./rank-candidates.ts";
import { createResidentVectors, type ServiceVectors } from "./resident-vectors.ts";
import { scoreKeywords, type KeywordScores, type TextLengths } from "./score-keywords.ts";
import { ChunkRow, KIND_CHUNK, KIND_RUNBOOK, toChunk } from "./sqlite-schema.ts";

/** A runbook of an allowed service with its score; its chunks are looked at again only if it is among the best. */
interface ScoredRunbook {
  readonly id: number;
  readonly parts: ScoreParts;
  readonly score: number;
  /** Cosines of its chunks, in file order. */
  readonly cosines: Float32Array;
  readonly firstChunk: number;
}

/**
 * Exact search: every chunk of the allowed services is scored. Nothing of another service is read: neither its vectors
 * nor its postings nor its statistics.
 */
export function createSqliteSearch(
  database: DatabaseSync,
  width: number,
  lengths: TextLengths,
): (
  query: StoreQuery,
  allowedServices: AllowedServices,
  limit: number,
) => { runbooks: RankedRunbook[]; termIdf: ReadonlyMap<string, number> } {
  const selectPostings = database.prepare(`
    SELECT kind, term, data FROM postings
    WHERE term IN (SELECT value FROM json_each(?1)) AND service IN (SELECT value FROM json_each(?2))`);
  const selectStatistics = database.prepare(`
    SELECT kind, sum(texts) AS texts, sum(title) AS title, sum(headings) AS headings, sum(path) AS path,
      sum(service_terms) AS service, sum(body) AS body
    FROM service_statistics WHERE service IN (SELECT value FROM json_each(?)) GROUP BY kind`);
  const selectVectors = database.prepare(
    "SELECT id, first_chunk, chunk_count, vectors FROM runbooks WHERE service = ? ORDER BY id",
  );
  const selectMetadata = database.prepare(`
    SELECT id, metadata FROM runbooks
    WHERE id IN (SELECT value FROM json_each(?1)) AND service IN (SELECT value FROM json_each(?2))`);
  const selectChunks = database.prepare(`
    SELECT chunks.id, metadata, heading_trail, start_index, start_line, text
    FROM chunks JOIN runbooks ON runbooks.id = chunks.runbook_id
    WHERE chunks.id IN (SELECT value FROM json_each(?1)) AND runbooks.service IN (SELECT value FROM json_each(?2))`);

  const cosinesOf = createResidentVectors(width, (service) => readVectors(selectVectors.all(service)));

  function scoreByKeywords(query: StoreQuery, services: string): KeywordScores {
    const postings = selectPostings.all(JSON.stringify([...query.terms.keys()]), services).map((row) => ({
      kind: row["kind"] as number,
      term: row["term"] as string,
      records: viewPostings(row["data"] as Uint8Array),
    }));
    const statistics = selectStatistics.all(services);
    const statisticsOf = (kind: number) => {
      const row = statistics.find((candidate) => candidate["kind"] === kind);
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

  function* scoreService(service: string, query: StoreQuery, keywords: KeywordScores): Generator<ScoredRunbook> {
    const { runbookIds, firstChunks, chunkCounts, cosines } = cosinesOf(service, query.embedding);
    let row = 0;
    for (const [place, id] of runbookIds.entries()) {
      const summaryCosine = roundCosine(cosines[row] ?? 0);
      const ofChunks = cosines.subarray(row + 1, row + 1 + (chunkCounts[place] ?? 0));
      row += 1 + ofChunks.length;
      const firstChunk = firstChunks[place] ?? 0;
      let [chunkCosine, chunkKeywords] = [0, 0];
      for (let chunk = 0; chunk < ofChunks.length; chunk += 1) {
        chunkCosine = Math.max(chunkCosine, ofChunks[chunk] ?? 0);
        chunkKeywords = Math.max(chunkKeywords, keywords.chunks.score(firstChunk + chunk));
      }
      const runbookKeywords = keywords.runbooks.score(id);
      const parts = { chunkCosine: roundCosine(chunkCosine), summaryCosine, chunkKeywords, runbookKeywords };
      yield { id, parts, score: sumParts(parts, query.weights), cosines: ofChunks, firstChunk };
    }
  }

  function toCandidates(best: readonly ScoredRunbook[], keywords: KeywordScores, services: string) {
    const rows = selectMetadata.all(JSON.stringify(best.map(({ id }) => id)), services);
    const metadata = new Map(rows.map((row) => [row["id"] as number, row["metadata"] as string]));
    return best.map(({ id, parts, cosines, firstChunk }): RunbookCandidate => ({
      runbook: JSON.parse(metadata.get(id) ?? "null") as RunbookMetadata,
      summaryCosine: parts.summaryCosine,
      keywords: parts.runbookKeywords,
      chunks: Array.from(cosines, (cosine, chunk) => ({
        chunkId: firstChunk + chunk,
        cosine,
        keywords: keywords.chunks.score(firstChunk + chunk),
      })),
    }));
  }

  return (query, allowedServices, limit) => {
    const services = JSON.stringify([...allowedServices]);
    const keywords = scoreByKeywords(query, services);
    const scored = [...allowedServices].flatMap((service) => [...scoreService(service, query, keywords)]);
    const ranked = rankCandidates(toCandidates(keepBest(scored, limit), keywords, services), limit, query.weights);

    const ids = ranked.flatMap((candidate) => candidate.chunks.map((chunk) => chunk.chunkId));
    const rows = selectChunks.all(JSON.stringify(ids), services).map((row) => ChunkRow.parse(row));
    const chunks = new Map<number | string, ReturnType<typeof toChunk>>(rows.map((row) => [row.id, toChunk(row)]));
    const runbooks = ranked.map((candidate) => ({
      ...candidate,
      chunks: candidate.chunks.flatMap(({ chunkId, score, parts }): RankedChunk[] => {
        const chunk = chunks.get(chunkId);
        const matchedTerms = keywords.chunks.matchedTerms(chunkId as number);
        return chunk === undefined ? [] : [{ chunk, score, parts, matchedTerms }];
      }),
    }));
    return { runbooks, termIdf: keywords.chunks.idf };
  };
}

/** Those that no `limit` others beat; ties with the last one stay, so that the ranking's own rule decides them. */
function keepBest(scored: readonly ScoredRunbook[], limit: number): ScoredRunbook[] {
  if (scored.length <= limit) return [...scored];
  const scores = Float64Array.from(scored, ({ score }) => score).toSorted();
  const last = scores[scores.length - limit] ?? 0;
  return scored.filter(({ score }) => score >= last);
}

function readVectors(rows: readonly Record<string, unknown>[]): ServiceVectors {
  const column = (name: string) => Uint32Array.from(rows, (row) => row[name] as number);
  const blobs = rows.map((row) => toFloats(row["vectors"] as Uint8Array));
  const vectors = new Float32Array(blobs.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const blob of blobs) {
    vectors.set(blob, at);
    at += blob.length;
  }
  return { runbookIds: column("id"), firstChunks: column("first_chunk"), chunkCounts: column("chunk_count"), vectors };
}
