import { createHash } from "node:crypto";

import { z } from "zod";

import type { Chunk, RunbookMetadata } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import { CHUNK_SCHEME, RUNBOOK_SCHEME } from "./bm25f.ts";
import type { IndexedRunbook } from "./passage-store.ts";
import { REFERENCE_CHUNK, REFERENCE_RUNBOOK } from "./qdrant-bounds.ts";
import { countTerms, packTable, toSparseVector } from "./qdrant-pack-terms.ts";

/** Changes whenever the points do: an index with another number is rebuilt, never read. */
export const FORMAT = 1;

export const DENSE = "dense";
export const KEYWORDS = "keywords";

const text = z.string().min(1);
const common = {
  service: text,
  source_id: text,
  title: text,
  path: text,
  /** So that all chunks of a runbook can be asked for at once. */
  chunk_count: z.int().min(0),
  terms: z.base64().min(27),
};
export const RunbookPayload = z.object({
  kind: z.literal("runbook"),
  ...common,
  content_hash: text,
  owner: z.string().nullable(),
  last_reviewed: z.string().nullable(),
});
export const ChunkPayload = z.object({
  kind: z.literal("chunk"),
  ...common,
  heading_trail: z.array(z.string()),
  start_index: z.int().min(0),
  start_line: z.int().min(1),
  text,
});
export type RunbookPayload = z.infer<typeof RunbookPayload>;
export type ChunkPayload = z.infer<typeof ChunkPayload>;

/** A point on its way into a collection. */
export interface NewPoint {
  readonly id: string;
  readonly vector: Readonly<Record<string, unknown>>;
  readonly payload: object;
}

/** The runbook's point, then one per chunk. */
export function toPoints({ runbook, summaryEmbedding, keywords, chunks }: IndexedRunbook): NewPoint[] {
  const { sourceId, service, title, path } = runbook;
  const shared = { service, source_id: sourceId, chunk_count: chunks.length };
  const table = countTerms(keywords);
  const payload: RunbookPayload = {
    kind: "runbook",
    ...shared,
    title,
    path,
    content_hash: runbook.contentHash,
    owner: runbook.owner,
    last_reviewed: runbook.lastReviewed,
    terms: packTable(table),
  };
  const vector = {
    [DENSE]: [...summaryEmbedding],
    [KEYWORDS]: toSparseVector(RUNBOOK_SCHEME, REFERENCE_RUNBOOK, table),
  };
  return [
    { id: pointId("runbook", sourceId), vector, payload },
    ...chunks.map(({ chunk, embedding, keywords: ofChunk }, index): NewPoint => {
      const chunkTable = countTerms(ofChunk);
      const chunkPayload: ChunkPayload = {
        kind: "chunk",
        ...shared,
        title: chunk.title,
        path: chunk.path,
        heading_trail: [...chunk.headingTrail],
        start_index: chunk.startIndex,
        start_line: chunk.startLine,
        text: chunk.text,
        terms: packTable(chunkTable),
      };
      const sparse = toSparseVector(CHUNK_SCHEME, REFERENCE_CHUNK, chunkTable);
      return {
        id: pointId("chunk", `${sourceId}#${index}`),
        vector: { [DENSE]: [...embedding], [KEYWORDS]: sparse },
        payload: chunkPayload,
      };
    }),
  ];
}

export function toChunk(payload: ChunkPayload): Chunk {
  return {
    sourceId: payload.source_id,
    title: payload.title,
    service: payload.service,
    path: payload.path,
    headingTrail: payload.heading_trail,
    startIndex: payload.start_index,
    startLine: payload.start_line,
    text: payload.text,
  };
}

export function toRunbook(payload: RunbookPayload): RunbookMetadata {
  return {
    sourceId: payload.source_id,
    path: payload.path,
    title: payload.title,
    service: payload.service,
    contentHash: payload.content_hash,
    owner: payload.owner,
    lastReviewed: payload.last_reviewed,
  };
}

/** @throws PipelineError `freshness`: a point that this bot did not write is refused, never half-read. */
export function parsePayload<T>(schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  const message = `the Qdrant collection holds a point that this bot did not write (${fields})`;
  throw new PipelineError("freshness", `${message}; run: npm run reindex -- --full`);
}

/** A UUID of version 5 (RFC 9562): the same text has the same id in every index. */
export function pointId(kind: string, key: string): string {
  const hash = createHash("sha1").update(NAMESPACE).update(`${kind}\n${key}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join("-");
}

const NAMESPACE = Buffer.from("5f1d0c9e2b6a4c0f9f3b7d1e8a42c6b5", "hex");

/** JSON for Qdrant; half a surrogate pair, which it would refuse, becomes U+FFFD. */
export function toJson(value: unknown): string {
  const json = JSON.stringify(value);
  // Only such halves are escaped so; looking at every value is slow, and hardly ever needed.
  if (!/\\ud[89a-f]/.test(json)) return json;
  return JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "string" ? inner.toWellFormed() : inner));
}
