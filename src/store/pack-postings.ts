import { FIELDS } from "./bm25f.ts";

/** Packed as 16-bit numbers: the text's id (low, high), then its count of the term in each field. */
export const RECORD_SIZE = 2 + FIELDS.length;

export interface Posting {
  readonly id: number;
  /** By field, in the order of FIELDS. */
  readonly counts: readonly number[];
}

/** Postings of one term in one service, in the order of their ids. */
export function packPostings(postings: readonly Posting[]): Uint8Array {
  const records = new Uint16Array(postings.length * RECORD_SIZE);
  postings.forEach(({ id, counts }, index) => {
    const at = index * RECORD_SIZE;
    records[at] = id & 0xff_ff;
    records[at + 1] = id >>> 16;
    counts.forEach((count, field) => (records[at + 2 + field] = Math.min(count, 0xff_ff)));
  });
  return new Uint8Array(records.buffer);
}

/** A view of packed postings as 16-bit numbers; read ids with `postingId`. */
export function viewPostings(data: Uint8Array): Uint16Array {
  const aligned = data.byteOffset % 2 === 0 ? data : data.slice();
  return new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2);
}

export function postingId(records: Uint16Array, at: number): number {
  return (records[at] ?? 0) + (records[at + 1] ?? 0) * 0x1_00_00;
}

/** The same postings without those of some texts, or null when nothing is left. */
export function withoutTexts(data: Uint8Array, gone: ReadonlySet<number>): Uint8Array | null {
  const records = viewPostings(data);
  const kept: number[] = [];
  for (let at = 0; at < records.length; at += RECORD_SIZE) {
    if (!gone.has(postingId(records, at))) kept.push(...records.subarray(at, at + RECORD_SIZE));
  }
  return kept.length === 0 ? null : new Uint8Array(Uint16Array.from(kept).buffer);
}

export function appendPostings(data: Uint8Array, more: Uint8Array): Uint8Array {
  const joined = new Uint8Array(data.byteLength + more.byteLength);
  joined.set(data);
  joined.set(more, data.byteLength);
  return joined;
}
