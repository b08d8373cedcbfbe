import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { describe, expect, it } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { allowServices } from "../../src/access/allowed-services.ts";
import { assertIndexFits } from "../../src/models/assert-index-fits.ts";
import { createFakeEmbeddingModel } from "../fakes/fake-embedding-model.ts";
import { createWorld, writeFiles, type World } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { aliases: [basket], owner: core, runbooks: ["checkout/*.md"], readers: [core] }
  payments: { owner: core, runbooks: ["payments/*.md"], readers: [core] }
groups:
  core: { members: [U0DAN] }
`;
const FAQ = `# Questions\n\n${Array.from({ length: 30 }, (_, index) => `## Part ${index}\n\nAnswer number ${index}.\n`).join("\n")}`;
const RUNBOOKS = { "checkout/pool.md": "# Pool\n\n1. Count connections.\n", "payments/faq.md": FAQ };

async function indexedWorld() {
  const embeddingModel = await createFakeEmbeddingModel();
  const world = await createWorld({ runbooks: RUNBOOKS, access: ACCESS, embeddingModel });
  const first = await world.index();
  const asked = embeddingModel.embedded.length;
  return { world, first, newlyEmbedded: () => embeddingModel.embedded.slice(asked) };
}

const sourcesOf = async ({ store }: World) => (await store.listRunbooks()).map(({ sourceId }) => sourceId);

async function searchBy({ store, embeddingModel }: World): Promise<string[]> {
  const query = { embedding: await embeddingModel.embedQuery("count connections"), terms: new Map([["connect", 1]]) };
  const found = await store.search(query, allowServices(["checkout", "payments"]), 10);
  return found.runbooks.map(({ runbook }) => runbook.sourceId);
}

describe("indexing", () => {
  it("publishes every runbook and reports what it did", async () => {
    const { world, first } = await indexedWorld();

    expect(first).toMatchObject({
      published: true,
      complete: true,
      documents: { total: 2, added: 2, changed: 0, removed: 0, unchanged: 0 },
      chunks: { total: 31 },
      failures: [],
    });
    expect(await sourcesOf(world)).toEqual(["checkout/pool", "payments/faq"]);
  });

  it("does nothing when nothing changed, though files were touched", async () => {
    const { world, first, newlyEmbedded } = await indexedWorld();
    writeFiles(world.runbooksDir, RUNBOOKS);

    const second = await world.index();

    expect(second).toMatchObject({ published: true, indexVersion: first.indexVersion, documents: { unchanged: 2 } });
    expect(newlyEmbedded()).toEqual([]);
  });

  it("embeds only the section that was added", async () => {
    const { world, newlyEmbedded } = await indexedWorld();
    writeFiles(world.runbooksDir, { "payments/faq.md": `${FAQ}\n## Part new\n\nA new answer.\n` });

    const report = await world.index();

    expect(report).toMatchObject({ documents: { changed: 1, unchanged: 1 }, chunks: { total: 32, embedded: 1 } });
    expect(newlyEmbedded()).toEqual([expect.stringContaining("A new answer")]);
  });

  it("keeps the vectors of a file that moved, and relabels without embedding", async () => {
    const { world, newlyEmbedded } = await indexedWorld();
    writeFiles(world.runbooksDir, { "checkout/faq.md": FAQ });
    rmSync(join(world.runbooksDir, "payments/faq.md"));

    const moved = await world.index();
    const policy = parseAccessFile(ACCESS.replace("[basket]", "[basket, cart]"), "access.yaml");
    const relabelled = await world.index({ policy });

    expect(moved.documents).toMatchObject({ added: 1, removed: 1 });
    expect(relabelled.documents).toMatchObject({ changed: 2 });
    expect(newlyEmbedded()).toEqual([]);
    expect(await sourcesOf(world)).toEqual(["checkout/faq", "checkout/pool"]);
  });

  it("forgets deleted runbooks, in the keyword search too", async () => {
    const { world } = await indexedWorld();
    rmSync(join(world.runbooksDir, "checkout/pool.md"));

    await world.index();

    const embedding = await world.embeddingModel.embedQuery("count connections");
    const terms = new Map([["connect", 1]]);
    const found = await world.store.search({ embedding, terms }, allowServices(["checkout", "payments"]), 10);
    expect(found.runbooks.map(({ runbook }) => runbook.sourceId)).toEqual(["payments/faq"]);
    expect(found.runbooks[0]?.parts.chunkKeywords).toBe(0);
  });

  it("gives the same index changed in steps as made at once", async () => {
    const { world } = await indexedWorld();
    writeFiles(world.runbooksDir, {
      "checkout/new.md": "# New pool\n\nCount the pool again.\n",
      "payments/faq.md": "# Q\n\nPool.\n",
    });
    await world.index();
    const query = { embedding: await world.embeddingModel.embedQuery("pool"), terms: new Map([["pool", 1]]) };
    const search = () => world.store.search(query, allowServices(["checkout", "payments"]), 10);
    const inSteps = await search();

    await world.index({ full: true });

    const scores = (found: Awaited<ReturnType<typeof search>>) =>
      found.runbooks.map(({ runbook, score }) => [runbook.sourceId, score]);
    expect(scores(await search())).toEqual(scores(inSteps));
  });

  it("publishes nothing when a file is bad, and the good ones with skipBad", async () => {
    const { world, first } = await indexedWorld();
    writeFiles(world.runbooksDir, { "checkout/empty.md": "", "checkout/second.md": "# Second\n\ntext\n" });

    const stopped = await world.index();
    const before = await sourcesOf(world);
    const skipped = await world.index({ skipBad: true });

    expect(stopped).toMatchObject({ published: false, complete: false });
    expect(stopped.failures).toEqual([{ path: "checkout/empty.md", line: null, reason: "the file is empty" }]);
    expect(before).toEqual(["checkout/pool", "payments/faq"]);
    expect(skipped).toMatchObject({ published: true, complete: false });
    expect(skipped.indexVersion).not.toBe(first.indexVersion);
    expect(await sourcesOf(world)).toContain("checkout/second");
  });

  it("leaves the last good index when the model fails half-way, and goes on from there", async () => {
    const { world } = await indexedWorld();
    const files = Array.from({ length: 40 }, (_, file) => {
      const sections = Array.from({ length: 10 }, (_, part) => `## S${part}\n\nText ${file} ${part}.\n`);
      return [`checkout/f${file}.md`, `# File ${file}\n\n${sections.join("\n")}`] as const;
    });
    writeFiles(world.runbooksDir, Object.fromEntries(files));
    const model = await createFakeEmbeddingModel();
    let answered = 0;
    const failing = {
      ...model,
      embedDocuments: async (texts: readonly string[]) => {
        if (answered > 0) throw new Error("429");
        answered += texts.length;
        return model.embedDocuments(texts);
      },
    };

    await expect(world.index({ embeddingModel: failing })).rejects.toThrow();
    expect(await sourcesOf(world)).toEqual(["checkout/pool", "payments/faq"]);
    const report = await world.index();

    expect(report.documents.total).toBe(42);
    expect(report.chunks.embedded).toBe(440 - answered);
    expect(readdirSync(dirname(world.indexPath)).filter((name) => name.includes("building"))).toEqual([]);
  });

  it("builds another model's index beside the old one, which answers until the switch", async () => {
    const { world, first } = await indexedWorld();
    const other = await createFakeEmbeddingModel("wider-words", 128);
    const meanwhile: (string | undefined)[] = [];
    const embeddingModel = {
      ...other,
      embedDocuments: async (texts: readonly string[]) => {
        meanwhile.push((await world.store.currentIndex())?.model.name);
        await expect(searchBy(world)).resolves.toContain("checkout/pool");
        return other.embedDocuments(texts);
      },
    };

    const second = await world.index({ embeddingModel });

    expect(meanwhile).toEqual(["hashed-words"]);
    expect(second).toMatchObject({ published: true, documents: { changed: 2, unchanged: 0 } });
    expect(second.indexVersion).not.toBe(first.indexVersion);
    const index = await world.store.currentIndex();
    expect(index?.model).toMatchObject({ name: "wider-words", dimensions: 128 });
    expect(() => assertIndexFits(index, world.embeddingModel.info)).toThrow("npm run reindex");
  });

  it("embeds everything anew for other task prefixes, and nothing when they are the old ones again", async () => {
    const { world, newlyEmbedded } = await indexedWorld();
    const { info } = world.embeddingModel;
    const prefixed = { ...info, prefixes: { query: "query: ", document: "passage: " } };

    const changed = await world.index({ embeddingModel: { ...world.embeddingModel, info: prefixed } });
    const embedded = newlyEmbedded().length;
    const back = await world.index();

    expect(changed.chunks.embedded).toBe(33);
    expect(back).toMatchObject({ documents: { changed: 2 }, chunks: { embedded: 0 } });
    expect(newlyEmbedded()).toHaveLength(embedded);
  });

  it("rebuilds everything for another model of the same name and width", async () => {
    const { world } = await indexedWorld();
    const other = await createFakeEmbeddingModel("other-words");
    const disguised = { ...other, info: { ...other.info, name: world.embeddingModel.info.name } };

    const report = await world.index({ embeddingModel: disguised });

    expect(report.documents).toMatchObject({ changed: 2, unchanged: 0 });
    expect(report.chunks.embedded).toBe(33);
  });

  it("replaces an index that can't be read", async () => {
    const { world } = await indexedWorld();
    await world.store.close();
    writeFileSync(world.indexPath, "garbage");

    const report = await world.index();

    expect(report).toMatchObject({ published: true, documents: { total: 2 } });
  });

  it("leaves a file that SQLite calls sound", async () => {
    const { world } = await indexedWorld();
    writeFiles(world.runbooksDir, { "checkout/second.md": "# Second\n\ntext\n" });
    await world.index();

    const database = new DatabaseSync(world.indexPath, { readOnly: true });
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
    expect(existsSync(`${world.indexPath}-wal`)).toBe(false);
    expect(statSync(world.indexPath).size).toBeGreaterThan(0);
  });
});
