import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { allowServices } from "../../src/access/allowed-services.ts";
import { loadPortableMiniLm } from "../../src/models/minilm-engine.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createRandom } from "../../src/evaluation/seeded-random.ts";
import { randomWords, SERVICES } from "./generate-runbooks.ts";
import { peakMegabytes } from "./process-memory.ts";
import type { Row } from "./measure.ts";

const FILES = 2000;
const PEER_TEXTS = 20;

interface Report {
  readonly chunks: { readonly total: number; readonly embedded: number };
  readonly documents: { readonly changed: number };
}

/** `npm run reindex` on a made-up collection: from nothing, with nothing changed, and with one file changed. */
export async function measureCollection(directory: string): Promise<Row[]> {
  const runbooksDir = join(directory, "collection");
  const dataDir = join(directory, "collection-data");
  const texts = writeCollection(runbooksDir);
  const accessFile = join(directory, "collection-access.yaml");
  const names = Array.from({ length: SERVICES }, (_, number) => `service-${number}`);
  const services = Object.fromEntries(
    names.map((name) => [name, { owner: "team", runbooks: [`${name}/*.md`], readers: ["everyone"] }]),
  );
  writeFileSync(accessFile, JSON.stringify({ services, groups: { team: { members: ["U0BENCH"] } } }));
  const env = { RUNBOOKS_DIR: runbooksDir, ACCESS_FILE: accessFile, DATA_DIR: dataDir, QDRANT_URL: "" };

  const first = await reindex(env);
  const unchanged = await reindex(env);
  const hashed = hashFiles(runbooksDir);
  const changedPath = join(runbooksDir, "service-3", "runbook-3.md");
  writeFileSync(changedPath, `${readFileSync(changedPath, "utf8")}\n## New part\n\nAsk the zebrafish.\n`);
  const one = await reindex(env);
  const live = await isServed(join(dataDir, "index.sqlite"), "service-3/runbook-3");
  const portable = await measurePortable(texts.slice(0, PEER_TEXTS));

  const each = first.milliseconds / first.report.chunks.embedded;
  return [
    {
      what: `first index of ${FILES} files, a text embedded`,
      p50: each,
      p99: null,
      note: `${first.report.chunks.embedded} texts, peak ${first.megabytes.toFixed(0)} MB; goal: <= 35 ms, < 450 MB`,
    },
    { what: "the same texts by @lat.md/embed alone", p50: portable, p99: null, note: ratio(portable, each) },
    {
      what: `${FILES} files, nothing changed`,
      p50: unchanged.milliseconds,
      p99: null,
      note: `${unchanged.report.chunks.embedded} texts embedded; goal: < 2000 ms`,
    },
    { what: "reading and hashing them alone", p50: hashed, p99: null, note: ratio(hashed, unchanged.milliseconds) },
    {
      what: `${FILES} files, one changed, to live`,
      p50: one.milliseconds,
      p99: null,
      note: `${one.report.documents.changed} changed, ${live ? "served" : "NOT SERVED"}; goal: < 3000 ms`,
    },
  ];
}

function ratio(peer: number, ours: number): string {
  return `${(peer / ours).toFixed(1)} x ours`;
}

function writeCollection(directory: string): string[] {
  const random = createRandom(5);
  return Array.from({ length: FILES }, (_, number) => {
    const service = join(directory, `service-${number % SERVICES}`);
    mkdirSync(service, { recursive: true });
    const text = `# Runbook ${number}\n\n${randomWords(random, 20)}\n\n## First checks\n\n1. ${randomWords(random, 40)}\n`;
    writeFileSync(join(service, `runbook-${number}.md`), text);
    return text;
  });
}

async function reindex(
  env: Record<string, string>,
): Promise<{ milliseconds: number; megabytes: number; report: Report }> {
  const started = performance.now();
  const script = join(import.meta.dirname, "../reindex.ts");
  const child = spawn(process.execPath, ["--max-semi-space-size=2", script, "--json"], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "ignore"],
  });
  let megabytes = 0;
  const watch = setInterval(() => (megabytes = Math.max(megabytes, peakMegabytes(child.pid))), 100);
  let output = "";
  for await (const data of child.stdout) output += String(data);
  clearInterval(watch);
  return { milliseconds: performance.now() - started, megabytes, report: JSON.parse(output) as Report };
}

async function isServed(indexPath: string, sourceId: string): Promise<boolean> {
  const store = createSqlitePassageStore(indexPath);
  const chunks = await store.chunksOf(sourceId, allowServices(["service-3"]));
  await store.close();
  return chunks.some(({ text }) => text.includes("zebrafish"));
}

/** What any tool must do to know that nothing changed. */
function hashFiles(directory: string): number {
  const started = performance.now();
  for (const path of readdirSync(directory, { recursive: true, encoding: "utf8" })) {
    if (path.endsWith(".md"))
      createHash("sha256")
        .update(readFileSync(join(directory, path)))
        .digest();
  }
  return performance.now() - started;
}

/** Milliseconds a text with the portable engine, one thread. */
async function measurePortable(texts: readonly string[]): Promise<number> {
  const embed = await loadPortableMiniLm();
  await embed("warm up");
  const started = performance.now();
  for (const text of texts) await embed(text);
  return (performance.now() - started) / texts.length;
}
