import { PipelineError } from "../errors.ts";
import { FIELDS, termWeight, type CollectionStatistics, type KeywordScheme } from "./bm25f.ts";
import type { KeywordFields } from "./passage-store.ts";

/**
 * The terms of one text as its point holds them: per term a 48-bit hash and the count in each field, sorted by hash. Whole
 * and packed, because picking a query's terms out of a JSON object costs the server more than sending all of them.
 */
export interface TermTable {
  /** By field, in the order of FIELDS. */
  readonly lengths: Uint32Array;
  /** RECORD_SIZE numbers per term: the hash (low, middle, high), then the counts. */
  readonly records: Uint16Array;
}

export const RECORD_SIZE = 3 + FIELDS.length;
const MOST_COUNTED = 0xff_ff;
/** A count of this size or more takes two bytes, after this one. */
const LARGE = 0xff;

/** 48 bits: among a million different terms two share a hash once in 500 indexes. */
export function hashTerm(term: string): number {
  let low = 0x81_1c_9d_c5;
  let high = 0x9e_37_79_b9;
  for (let at = 0; at < term.length; at += 1) {
    const unit = term.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x85_eb_ca_6b);
    high = Math.imul(high ^ unit, 0xc2_b2_ae_35);
  }
  low = Math.imul(low ^ (low >>> 16), 0x21_f0_aa_ad) ^ Math.imul(high ^ (high >>> 13), 0x73_5a_2d_97);
  high = Math.imul(high ^ (high >>> 16), 0x21_f0_aa_ad) ^ Math.imul(low ^ (low >>> 13), 0x73_5a_2d_97);
  return (low >>> 0) + ((high >>> 0) & MOST_COUNTED) * 0x1_00_00_00_00;
}

export function countTerms(keywords: KeywordFields): TermTable {
  const counts = new Map<number, number[]>();
  FIELDS.forEach((field, at) => {
    for (const [term, count] of keywords[field].counts) {
      const hash = hashTerm(term);
      const ofTerm = counts.get(hash) ?? FIELDS.map(() => 0);
      ofTerm[at] = (ofTerm[at] ?? 0) + count;
      counts.set(hash, ofTerm);
    }
  });
  const sorted = [...counts].toSorted(([left], [right]) => left - right);
  const records = new Uint16Array(sorted.length * RECORD_SIZE);
  sorted.forEach(([hash, ofTerm], index) => {
    writeHash(records, index * RECORD_SIZE, hash);
    ofTerm.forEach((count, field) => (records[index * RECORD_SIZE + 3 + field] = Math.min(count, MOST_COUNTED)));
  });
  return { lengths: Uint32Array.from(FIELDS, (field) => keywords[field].length), records };
}

export function writeHash(records: Uint16Array, at: number, hash: number): void {
  records[at] = hash % 0x1_00_00;
  records[at + 1] = Math.floor(hash / 0x1_00_00) % 0x1_00_00;
  records[at + 2] = Math.floor(hash / 0x1_00_00_00_00);
}

export function readHash(records: Uint16Array, at: number): number {
  return (records[at] ?? 0) + (records[at + 1] ?? 0) * 0x1_00_00 + (records[at + 2] ?? 0) * 0x1_00_00_00_00;
}

/** Where the record of a hash begins, or -1. Records of `size` numbers, sorted by hash. */
export function findRecord(records: Uint16Array, size: number, hash: number): number {
  let low = 0;
  let high = records.length / size - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = readHash(records, middle * size);
    if (found === hash) return middle * size;
    if (found < hash) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** As base64: the lengths, then per term its hash, one bit per field that holds it, and a byte for each such count. */
export function packTable({ lengths, records }: TermTable): string {
  const bytes: number[] = [];
  for (let at = 0; at < records.length; at += RECORD_SIZE) {
    const counts = records.subarray(at + 3, at + RECORD_SIZE);
    bytes.push(...toBuffer(records.subarray(at, at + 3)));
    bytes.push(counts.reduce((mask, count, field) => mask | (count > 0 ? 1 << field : 0), 0));
    for (const count of counts) {
      if (count >= LARGE) bytes.push(LARGE, count & 0xff, count >>> 8);
      else if (count > 0) bytes.push(count);
    }
  }
  return Buffer.concat([toBuffer(lengths), Buffer.from(bytes)]).toString("base64");
}

/** @throws PipelineError `freshness` when it is cut off. */
export function unpackTable(packed: string): TermTable {
  const bytes = Uint8Array.from(Buffer.from(packed, "base64"));
  const lengthsEnd = FIELDS.length * 4;
  // A term takes at least eight bytes.
  const records = new Uint16Array(((bytes.length - lengthsEnd) >>> 3) * RECORD_SIZE);
  let at = lengthsEnd;
  let end = 0;
  const next = () => bytes[at++] ?? 0;
  while (at < bytes.length) {
    for (let part = 0; part < 3; part += 1) records[end++] = next() | (next() << 8);
    const mask = next();
    for (let field = 0; field < FIELDS.length; field += 1) {
      const count = (mask & (1 << field)) === 0 ? 0 : next();
      records[end++] = count === LARGE ? next() | (next() << 8) : count;
    }
  }
  if (at !== bytes.length) {
    throw new PipelineError("freshness", "the index in Qdrant is damaged; run: npm run reindex -- --full");
  }
  return { lengths: new Uint32Array(bytes.buffer, 0, FIELDS.length), records: records.subarray(0, end) };
}

export function toBuffer(numbers: Uint16Array | Uint32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

/** `termWeight` of every term, in a sparse vector's form; its indices are the low 32 bits of the hashes. */
export function toSparseVector(
  scheme: KeywordScheme,
  statistics: CollectionStatistics,
  { lengths, records }: TermTable,
): { indices: number[]; values: number[] } {
  const values = new Map<number, number>();
  for (let at = 0; at < records.length; at += RECORD_SIZE) {
    const index = sparseIndex(readHash(records, at));
    values.set(index, (values.get(index) ?? 0) + termWeight(scheme, statistics, records, at + 3, lengths, 0));
  }
  return { indices: [...values.keys()], values: [...values.values()] };
}

export function sparseIndex(hash: number): number {
  return hash % 0x1_00_00_00_00;
}
