import { z } from "zod";

import type { AllowedServices } from "../access/allowed-services.ts";
import { FIELDS, inverseFrequency, type CollectionStatistics } from "./bm25f.ts";
import type { QdrantClient } from "./qdrant-client.ts";
import { allowedPoints } from "./qdrant-filters.ts";
import {
  findRecord,
  hashTerm,
  readHash,
  RECORD_SIZE,
  toBuffer,
  writeHash,
  type TermTable,
} from "./qdrant-pack-terms.ts";
import { parsePayload, pointId, type NewPoint } from "./qdrant-points.ts";

// One point per service holds how many texts it has, their summed field lengths, and in how many of them each term
// stands. A search adds up those of the allowed services: a hidden service counts nowhere.

const KINDS = ["chunk", "runbook"] as const;
type TextKind = (typeof KINDS)[number];

const Sums = z.object({ texts: z.int().min(0), lengths: z.array(z.int().min(0)).length(FIELDS.length) });
const ServicePayload = z.object({
  kind: z.literal("service"),
  service: z.string().min(1),
  chunk: Sums,
  runbook: Sums,
  /** Packed records: hash, then chunks and runbooks with the term, as two numbers (low, high) each. */
  frequencies: z.base64(),
});
const FREQUENCY_SIZE = 7;

interface ServiceCounts {
  readonly chunk: { texts: number; lengths: number[] };
  readonly runbook: { texts: number; lengths: number[] };
  readonly frequencies: Map<number, { chunk: number; runbook: number }>;
}

export interface StatisticsCounter {
  add(kind: TextKind, service: string, table: TermTable): void;
  points(): NewPoint[];
}

export function createStatisticsCounter(): StatisticsCounter {
  const services = new Map<string, ServiceCounts>();
  const empty = () => ({ texts: 0, lengths: FIELDS.map(() => 0) });
  return {
    add(kind, service, { lengths, records }) {
      const counts = services.get(service) ?? { chunk: empty(), runbook: empty(), frequencies: new Map() };
      services.set(service, counts);
      const sums = counts[kind];
      sums.texts += 1;
      lengths.forEach((length, field) => (sums.lengths[field] = (sums.lengths[field] ?? 0) + length));
      for (let at = 0; at < records.length; at += RECORD_SIZE) {
        const hash = readHash(records, at);
        const frequency = counts.frequencies.get(hash) ?? { chunk: 0, runbook: 0 };
        frequency[kind] += 1;
        counts.frequencies.set(hash, frequency);
      }
    },
    points: () =>
      [...services].map(([service, { chunk, runbook, frequencies }]) => {
        const payload = { kind: "service", service, chunk, runbook, frequencies: packFrequencies(frequencies) };
        return { id: pointId("service", service), vector: {}, payload };
      }),
  };
}

function packFrequencies(frequencies: ServiceCounts["frequencies"]): string {
  const records = new Uint16Array(frequencies.size * FREQUENCY_SIZE);
  const sorted = [...frequencies].toSorted(([left], [right]) => left - right);
  sorted.forEach(([hash, { chunk, runbook }], index) => {
    const at = index * FREQUENCY_SIZE;
    writeHash(records, at, hash);
    records.set([chunk, chunk >>> 16, runbook, runbook >>> 16], at + 3);
  });
  return toBuffer(records).toString("base64");
}

/** What the query's terms weigh among the allowed services, for texts of one kind. */
export interface TermStatistics {
  readonly statistics: CollectionStatistics;
  readonly idf: ReadonlyMap<string, number>;
  /** Terms that at least one text of the allowed services holds. */
  readonly known: ReadonlySet<string>;
}

export type StatisticsReader = (
  terms: Iterable<string>,
  allowedServices: AllowedServices,
) => Promise<Record<TextKind, TermStatistics>>;

interface ServiceStatistics extends Pick<z.infer<typeof ServicePayload>, TextKind> {
  readonly frequencies: Uint16Array;
}

/** Reads each service's point once and keeps it: a published collection never changes. */
export function createStatisticsReader(client: QdrantClient, collection: string): StatisticsReader {
  const known = new Map<string, ServiceStatistics | null>();

  async function readMissing(allowedServices: AllowedServices): Promise<void> {
    const missing = [...allowedServices].filter((service) => !known.has(service));
    if (missing.length === 0) return;
    const filter = allowedPoints("service", allowedServices, { key: "service", match: { any: missing } });
    const found = new Map<string, ServiceStatistics>();
    for await (const point of client.scroll(collection, { filter, limit: 64, with_payload: true })) {
      const { service, chunk, runbook, frequencies } = parsePayload(ServicePayload, point.payload);
      const bytes = Uint8Array.from(Buffer.from(frequencies, "base64"));
      found.set(service, { chunk, runbook, frequencies: new Uint16Array(bytes.buffer, 0, bytes.byteLength >>> 1) });
    }
    for (const service of missing) known.set(service, found.get(service) ?? null);
  }

  return async (terms, allowedServices) => {
    await readMissing(allowedServices);
    const services = [...allowedServices].flatMap((service) => known.get(service) ?? []);
    const hashes = new Map([...terms].map((term) => [term, hashTerm(term)]));
    const [chunk, runbook] = KINDS.map((kind) => addUp(kind, services, hashes)) as [TermStatistics, TermStatistics];
    return { chunk, runbook };
  };
}

function addUp(
  kind: TextKind,
  services: readonly ServiceStatistics[],
  hashes: ReadonlyMap<string, number>,
): TermStatistics {
  const texts = services.reduce((sum, service) => sum + service[kind].texts, 0);
  const averageLengths = FIELDS.map((_field, at) => {
    const sum = services.reduce((total, service) => total + (service[kind].lengths[at] ?? 0), 0);
    return texts === 0 ? 0 : sum / texts;
  });
  const offset = kind === "chunk" ? 3 : 5;
  const idf = new Map<string, number>();
  const known = new Set<string>();
  for (const [term, hash] of hashes) {
    let textsWithTerm = 0;
    for (const { frequencies } of services) {
      const at = findRecord(frequencies, FREQUENCY_SIZE, hash);
      if (at >= 0) textsWithTerm += (frequencies[at + offset] ?? 0) + (frequencies[at + offset + 1] ?? 0) * 0x1_00_00;
    }
    idf.set(term, inverseFrequency(texts, textsWithTerm));
    if (textsWithTerm > 0) known.add(term);
  }
  return { statistics: { texts, averageLengths }, idf, known };
}
