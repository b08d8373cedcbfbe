import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import type { Config } from "../../src/config.ts";
import { createEmbeddingModel } from "../../src/models/create-embedding-model.ts";
import { lockIndexing } from "../../src/indexing/lock-indexing.ts";
import { createEmbeddingServer, type EmbeddingServer, type Fault } from "../fakes/embedding-server.ts";
import { createWorld, temporaryDirectory, writeFiles, type World } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const FAILS_AFTER = 700;

function manyRunbooks(): Record<string, string> {
  const sections = (number: number) =>
    Array.from({ length: 9 }, (_, part) => `## Part ${part}\n\n1. Step ${number} ${part}.\n`).join("\n");
  return Object.fromEntries(
    Array.from({ length: 100 }, (_, number) => [`r${number}.md`, `# Runbook ${number}\n\n${sections(number)}`]),
  );
}

function settingsFor({ baseUrl }: EmbeddingServer): Config["models"] {
  return {
    apiKey: null,
    baseUrl,
    chatModel: null,
    embeddingModel: "some-model",
    embeddingDimensions: null,
    timeoutMs: 2000,
  };
}

async function sourcesOf({ store, indexPath }: World): Promise<number> {
  const database = new DatabaseSync(indexPath, { readOnly: true });
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  database.close();
  return (await store.listRunbooks()).length;
}

describe("a run that breaks off", () => {
  it("at the 700th text leaves the last good index, and the next run embeds only the rest", async () => {
    let broken = false;
    const server = await createEmbeddingServer({
      fault: ({ input }): Fault | null =>
        broken && server.embedded.length + input.length > FAILS_AFTER ? { status: 401 } : null,
    });
    const embeddingModel = await createEmbeddingModel(settingsFor(server));
    const world = await createWorld({
      runbooks: { "first.md": "# First\n\n1. Look.\n" },
      access: ACCESS,
      embeddingModel,
    });
    await world.index();
    const already = server.embedded.length;
    writeFiles(world.runbooksDir, manyRunbooks());
    broken = true;

    await expect(world.index()).rejects.toThrow(/OPENAI_API_KEY/);

    expect(await sourcesOf(world)).toBe(1);
    const before = server.embedded.length;
    broken = false;
    const report = await world.index();
    expect(before).toBeGreaterThan(FAILS_AFTER - 64);
    expect(server.embedded.length - before).toBe(1000 - (before - already));
    expect(report).toMatchObject({ published: true, documents: { total: 101 } });
    expect(await sourcesOf(world)).toBe(101);
  });

  it("because a text is too long for the model names the runbook, and keeps what was embedded", async () => {
    const body = '{"error":{"message":"`inputs` must have less than 512 tokens. Given: 700"}}';
    const server = await createEmbeddingServer({
      fault: ({ input }) => (input.some((text) => text.includes("0xfeed")) ? { status: 413, body } : null),
    });
    const embeddingModel = await createEmbeddingModel(settingsFor(server));
    const dump = "0xfeed ".repeat(100);
    const runbooks = { ...manyRunbooks(), "dump.md": `# Memory dump\n\n${dump}\n` };
    const world = await createWorld({ runbooks, access: ACCESS, embeddingModel });

    const failure = await world.index().catch((error: unknown) => error);
    const sent = new Set(server.embedded);
    writeFiles(world.runbooksDir, { "dump.md": "# Memory dump\n\nShorter.\n" });
    const mended = await world.index();

    expect(String(failure)).toMatch(/dump\.md: .*too long for some-model \(it reads 512 tokens\)/);
    expect(mended).toMatchObject({ published: true, documents: { total: 101 } });
    expect(server.embedded.filter((text) => sent.has(text) && text.includes("Step"))).toHaveLength(
      [...sent].filter((text) => text.includes("Step")).length,
    );
  });

  it.skipIf(process.platform === "win32")(
    "for want of room leaves the last good index, and says so in one line",
    async () => {
      const world = await createWorld({ runbooks: { "first.md": "# First\n\n1. Look.\n" }, access: ACCESS });
      await world.index();
      writeFiles(world.runbooksDir, manyRunbooks());
      writeFileSync(join(world.directory, "access.yaml"), ACCESS);
      const script = join(import.meta.dirname, "index-in-process.ts");

      // Half a megabyte a file at most: the index does not fit.
      const limited = `trap '' XFSZ; ulimit -f 512; exec "$0" "$1"`;
      const { status, stderr } = spawnSync("bash", ["-c", limited, process.execPath, script], {
        cwd: world.directory,
        env: { PATH: process.env["PATH"] ?? "" },
        input: "go\n",
        encoding: "utf8",
      });

      expect(status).toBe(1);
      expect(stderr).toMatch(/PipelineError: .*data\/\S+ can't be written: [^\n]*free some space/);
      expect(await sourcesOf(world)).toBe(1);
      const left = readdirSync(join(world.directory, "data")).filter((name) => name.includes("building"));
      expect(left).toEqual([]);
      expect(await world.index()).toMatchObject({ published: true, documents: { total: 101 } });
    },
  );

  it("because it is told to stop while it waits for the server leaves nothing half-built", async () => {
    const waiting = Promise.withResolvers<void>();
    const server = await createEmbeddingServer({
      fault: (request): Fault | null => {
        if (!request.input.some((text) => text.includes("Step"))) return null;
        waiting.resolve();
        return { status: 429, headers: { "retry-after": "50" } };
      },
    });
    const directory = temporaryDirectory();
    const runbooks = Object.entries(manyRunbooks()).map(([path, text]) => [`runbooks/${path}`, text]);
    writeFiles(directory, { "access.yaml": ACCESS, ...Object.fromEntries(runbooks) });
    const child = spawn(process.execPath, [join(import.meta.dirname, "../../scripts/reindex.ts")], {
      cwd: directory,
      env: { PATH: process.env["PATH"] ?? "", OPENAI_BASE_URL: server.baseUrl, EMBEDDING_MODEL: "some-model" },
    });
    let said = "";
    child.stderr.on("data", (data: Buffer) => (said += data.toString()));
    const ended = once(child, "close");
    await waiting.promise;
    await sleep(50);

    child.kill("SIGTERM");

    expect(await ended).toEqual([1, null]);
    expect(said).toBe("indexing: told to stop; what was embedded is kept, and the next run goes on from there\n");
    expect(readdirSync(join(directory, ".data"))).toEqual(["embeddings.sqlite"]);
  });

  it("because the data directory is a file says what to set", () => {
    const directory = temporaryDirectory();
    writeFiles(directory, { data: "a file" });

    expect(() => lockIndexing(join(directory, "data", "inside"))).toThrow(/DATA_DIR/);
  });
});
