import { z } from "zod";

import { PipelineError } from "../errors.ts";

const Reply = z.object({ data: z.array(z.object({ index: z.int().min(0).optional(), embedding: z.unknown() })) });

/**
 * The vectors of a reply in the order of the texts; fewer than texts when the server gave fewer.
 * @throws PipelineError `dependency` when it is no list of embeddings with each index once.
 */
export function readEmbeddingReply(reply: unknown, wanted: number, server: string): number[][] {
  const fail = (what: string) => new PipelineError("dependency", `the embedding server at ${server} ${what}`);
  const parsed = Reply.safeParse(reply);
  if (!parsed.success) throw fail("gave something that is no list of embeddings; check OPENAI_BASE_URL");
  const { data } = parsed.data;
  if (data.length > wanted || data.length === 0) throw fail(`gave ${data.length} vectors for ${wanted} texts`);
  // The index of a single vector says nothing.
  const ordered = data.toSorted((left, right) => (left.index ?? 0) - (right.index ?? 0));
  if (wanted > 1 && ordered.some(({ index }, place) => index !== place)) {
    const what = "numbered its vectors wrongly (an index twice, or missing); they can't be told apart";
    throw fail(`${what}; EMBEDDING_BATCH_SIZE=1 does without numbers`);
  }
  return ordered.map(({ embedding }) => {
    const vector = readVector(embedding);
    if (vector === null) throw fail("gave a vector that is neither numbers nor base64 of 32-bit floats");
    return vector;
  });
}

function readVector(embedding: unknown): number[] | null {
  if (typeof embedding === "string") return decodeFloats(embedding);
  if (!Array.isArray(embedding)) return null;
  return embedding.every((value) => typeof value === "number") ? embedding : null;
}

/** Base64 of little-endian 32-bit floats: what the API sends for `encoding_format: base64`, and some servers always. */
function decodeFloats(base64: string): number[] | null {
  const bytes = Buffer.from(base64, "base64");
  // Node skips what is no base64.
  if (bytes.length % 4 !== 0 || bytes.toString("base64") !== base64) return null;
  return Array.from({ length: bytes.length / 4 }, (_, place) => bytes.readFloatLE(place * 4));
}
