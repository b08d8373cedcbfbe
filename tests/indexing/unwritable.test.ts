import { execFile, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { createEmbeddingServer } from "../fakes/embedding-server.ts";
import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const SCRIPTS = join(import.meta.dirname, "../../scripts");
const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const NOBODY = 65_534;
const ASKED = ["--as", "U0DAN", "count the connections of the pool"] as const;

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A world with an index of one runbook, and a hundred more in `more/` that are not indexed yet. */
async function createDisk() {
  const directory = temporaryDirectory();
  const sections = (number: number) =>
    Array.from({ length: 9 }, (_, part) => `## Part ${part}\n\n1. Step ${number} ${part}.\n`).join("\n");
  const more = Array.from({ length: 100 }, (_, number) => [
    `more/r${number}.md`,
    `# Runbook ${number}\n\n${sections(number)}`,
  ]);
  writeFiles(directory, {
    "access.yaml": ACCESS,
    "runbooks/pool.md": "# Pool\n\n## Checks\n\n1. Count the connections of the pool.\n",
    ...Object.fromEntries(more),
  });
  mkdirSync(join(directory, "data"));
  const server = await createEmbeddingServer();
  const env = {
    PATH: process.env["PATH"] ?? "",
    DATA_DIR: join(directory, "data"),
    OPENAI_BASE_URL: server.baseUrl,
    EMBEDDING_MODEL: "some-model",
  };
  const run = async (
    command: readonly string[],
    user: { readonly uid?: number; readonly gid?: number } = {},
  ): Promise<Run> => {
    const [file, ...args] = command as [string, ...string[]];
    try {
      return { code: 0, ...(await promisify(execFile)(file, args, { cwd: directory, env, ...user })) };
    } catch (error) {
      return error as Run;
    }
  };
  /** Runs a shell story with mounts of its own; each `reindex` and `ask` gives a line: exit code, and what was said. */
  const play = async (story: string): Promise<string[]> => {
    const commands = `
      step() { "$@" >out 2>err; code=$?; echo "$code $(cat out err | tr '\\n' ' ')"; }
      reindex() { step "$NODE" "$SCRIPTS/reindex.ts"; }
      ask() { step "$NODE" "$SCRIPTS/ask.ts" ${ASKED.map((word) => `'${word}'`).join(" ")}; }
    `;
    const settings = [`NODE=${process.execPath}`, `SCRIPTS=${SCRIPTS}`];
    const { stdout } = await run(["unshare", "-Urm", "env", ...settings, "sh", "-c", commands + story]);
    return stdout.split("\n");
  };
  return { directory, server, run, play };
}

const script = (name: string) => [process.execPath, join(SCRIPTS, name)] as const;
/** Its own name space needs no rights where the kernel allows it at all. */
const hasFileSystems =
  spawnSync("unshare", ["-Urm", "mount", "-t", "tmpfs", "tmpfs", "/tmp"], { stdio: "ignore" }).status === 0;
const isRoot = process.getuid?.() === 0;
/** Root may write everywhere, so that the test runs as nobody, who must be able to read this project. */
const reader = isRoot ? { uid: NOBODY, gid: NOBODY } : {};
const readerReads =
  spawnSync(process.execPath, ["-e", "fs.accessSync(process.argv[1])", SCRIPTS], { ...reader }).status === 0;

describe("a data directory that can't be written", { timeout: 60_000 }, () => {
  it.skipIf(!hasFileSystems).each([
    ["embeddings", "150k", /\/data\/embeddings\.sqlite can't be written: the disk is full; free some space; what was/],
    [
      "index",
      "400k",
      /\/data\/index\.sqlite can't be written: the disk is full; free some space; the last one is still/,
    ],
  ])(
    "for want of room for the %s leaves the last good index, and the next run goes on",
    async (_name, size, noRoom) => {
      const { server, play } = await createDisk();

      const [first, full, asked, last, files] = await play(`
      mount -t tmpfs -o size=${size} tmpfs data
      reindex
      cp more/* runbooks
      reindex
      ask
      mount -o remount,size=100m data
      reindex
      ls data | tr '\\n' ' '
    `);

      expect(first).toMatch(/^0 published 1 runbooks/);
      expect(full).toMatch(/^1 indexing: /);
      expect(full).toMatch(noRoom);
      expect(asked).toMatch(/^0 .*Count the connections of the pool/);
      expect(last).toMatch(/^0 published 101 runbooks/);
      expect(files?.trim()).toBe("embeddings.sqlite index.sqlite");
      // What did not fit is asked for again: one batch.
      const steps = server.embedded.filter((text) => text.includes("Step"));
      expect(steps.length - new Set(steps).size).toBeLessThanOrEqual(64);
    },
  );

  it.skipIf(!hasFileSystems)("without a byte of room is left as it was", async () => {
    const { play } = await createDisk();

    const [refused, files] = await play(`
      mount -t tmpfs -o size=20k tmpfs data
      dd if=/dev/zero of=data/other bs=1k count=40 2>dd
      reindex
      ls data | tr '\\n' ' '
    `);

    expect(refused).toMatch(/^1 indexing: \S+\/data can't be written: the disk is full; free some space $/);
    expect(files?.trim()).toBe("other");
  });

  it.skipIf(!hasFileSystems)(
    "as it is mounted read-only is named with the way out, and its index answers",
    async () => {
      const { play } = await createDisk();

      const [first, refused, asked] = await play(`
      mount -t tmpfs tmpfs data
      reindex
      mount -o remount,ro data
      reindex
      ask
    `);

      expect(first).toMatch(/^0 published 1 runbooks/);
      expect(refused).toMatch(/^1 indexing: \S+\/data can't be written: the file system is read-only; set DATA_DIR/);
      expect(asked).toMatch(/^0 .*Count the connections of the pool/);
    },
  );

  it.skipIf(hasFileSystems || !readerReads)(
    "for want of permission is named with the way out, and its index answers",
    async () => {
      const { directory, run } = await createDisk();
      const data = join(directory, "data");
      expect(await run(script("reindex.ts"))).toMatchObject({ code: 0 });
      cpSync(join(directory, "more"), join(directory, "runbooks"), { recursive: true });
      chmodSync(directory, 0o755);
      chmodSync(data, 0o555);

      const refused = await run(script("reindex.ts"), reader);
      const asked = await run([...script("ask.ts"), ...ASKED], reader);

      chmodSync(data, 0o755);
      expect(refused).toMatchObject({ code: 1, stdout: "" });
      expect(refused.stderr).toBe(
        `indexing: ${data} can't be written: no permission; set DATA_DIR to a directory that this user may write\n`,
      );
      expect(asked.stdout).toContain("Count the connections of the pool");
      expect(readdirSync(data)).toEqual(["embeddings.sqlite", "index.sqlite"]);
    },
  );

  it("below a file is named with the way out", async () => {
    const { directory, run } = await createDisk();
    writeFiles(directory, { file: "a file" });

    const refused = await run(["env", `DATA_DIR=${join(directory, "file", "data")}`, ...script("reindex.ts")]);

    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toMatch(
      /^indexing: \S+ can't be written: a part of the path is a file; set DATA_DIR[^\n]*\n$/,
    );
  });
});
