import { createHash } from "node:crypto";

import { z } from "zod";

import type { Chunk, RunbookMetadata } from "../domain.ts";
import { PipelineError } from "../errors.ts";
import { FIELDS } from "./bm25f.ts";
import type { IndexedRunbook, KeywordFields } from "./passage-store.ts";

/** Points of one collection: the index's header, one statistics point per service, runbooks and chunks. */
export type PointKind = "header" | "service" | "runbook" | "chunk";

export interface QdrantPoint {
  readonly id: string;
  readonly vector: { dense?: number[]; terms?: { indices: number[]; values: number[] } };
  readonly payload: Record<string, unknown>;
}

/** Key of a term in payloads, and its index in sparse vectors: 32 bits of its SHA-256. */
export function termIndex(term: string): number {
  return createHash("sha256").update(term).digest().readUInt32LE();
}

/** A name-based UUID (RFC 9562, version 5 layout): the same point has the same id in every index. */
export function pointId(kind: PointKind, key: string): string {
  const hash = createHash("sha1").update(`runbook-bot/${kind}/${key}`).digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString("hex").slice(0, 32);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

const Metadata = z.object({
  sourceId: z.string().min(1),
  path: z.string().min(1),
  title: z.string().min(1),
  service: z.string().min(1),
  contentHash: z.string(),
  owner: z.string().nullable(),
  lastReviewed: z.string().nullable(),
});
const Terms = z.record(z.string(), z.array(z.number()));
export const RunbookPayload = z.object({
  kind: z.literal("runbook"),
  service: z.string().min(1),
  source_id: z.string().min(1),
  metadata: Metadata,
  lengths: z.array(z.number()),
  terms: Terms.default({}),
});
export const ChunkPayload = z.object({
  kind: z.literal("chunk"),
  service: z.string().min(1),
  source_id: z.string().min(1),
  title: z.string().min(1),
  path: z.string().min(1),
  heading_trail: z.array(z.string()),
  start_index: z.number(),
  start_line: z.number(),
  text: z.string().min(1),
  lengths: z.array(z.number()),
  terms: Terms.default({}),
});
export type RunbookPayload = z.infer<typeof RunbookPayload>;
export type ChunkPayload = z.infer<typeof ChunkPayload>;

export function toPoints({ runbook, summaryEmbedding, keywords, chunks }: IndexedRunbook): QdrantPoint[] {
  const common = { service: runbook.service, source_id: runbook.sourceId };
  const own: QdrantPoint = {
    id: pointId("runbook", runbook.sourceId),
    vector: { dense: [...summaryEmbedding], terms: toSparse(keywords) },
    payload: { kind: "runbook", ...common, metadata: runbook, ...toTerms(keywords) },
  };
  return [
    own,
    ...chunks.map(({ chunk, embedding, keywords: chunkKeywords }) => ({
      id: pointId("chunk", `${chunk.sourceId}#${chunk.startIndex}`),
      vector: { dense: [...embedding], terms: toSparse(chunkKeywords) },
      payload: {
        kind: "chunk",
        ...common,
        title: chunk.title,
        path: chunk.path,
        heading_trail: chunk.headingTrail,
        start_index: chunk.startIndex,
        start_line: chunk.startLine,
        text: chunk.text,
        ...toTerms(chunkKeywords),
      },
    })),
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

export function toMetadata({ metadata, service }: RunbookPayload): RunbookMetadata {
  // The service that the filter saw is the one that counts.
  return { ...metadata, service };
}

/** @throws PipelineError `dependency`: a point that another program wrote is refused, never half-read. */
export function parsePayload<T>(schema: z.ZodType<T>, payload: unknown): T {
  const parsed = schema.safeParse(payload);
  if (parsed.success) return parsed.data;
  const fields = parsed.error.issues.map((issue) => issue.path.join(".")).join(", ");
  throw new PipelineError("dependency", `Qdrant holds a point that this bot did not write (${fields})`);
}

/** Counts of each term by field, in the order of FIELDS. */
function toTerms(keywords: KeywordFields): { terms: Record<string, number[]>; lengths: number[] } {
  const terms: Record<string, number[]> = {};
  FIELDS.forEach((field, at) => {
    for (const [term, count] of keywords[field].counts) {
      const counts = (terms[termKey(term)] ??= FIELDS.map(() => 0));
      counts[at] = (counts[at] ?? 0) + count;
    }
  });
  return { terms, lengths: FIELDS.map((field) => keywords[field].length) };
}

export function termKey(term: string): string {
  return `t${termIndex(term).toString(16)}`;
}

/** Each term once: the sparse search only finds candidates, the scores come from the counts. */
function toSparse(keywords: KeywordFields): { indices: number[]; values: number[] } {
  const terms = new Set(FIELDS.flatMap((field) => [...keywords[field].counts.keys()]));
  const indices = [...new Set([...terms].map(termIndex))];
  return { indices, values: indices.map(() => 1) };
}
