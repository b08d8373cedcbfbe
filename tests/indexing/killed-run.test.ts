import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { createQdrantPassageStore } from "../../src/store/qdrant-passage-store.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createQdrantStandIn } from "../fakes/qdrant/qdrant-stand-in.ts";
import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const KILLS = 50;
const PREPARED = 3;
const RUNBOOKS = 8;
const SCRIPT = join(import.meta.dirname, "index-in-process.ts");
const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const checkout = allowServices(["checkout"]);

/** Every runbook says which round it is of, in each of its sections. */
function runbooksOf(round: number): Record<string, string> {
  const sections = (number: number) =>
    Array.from({ length: 6 }, (_, part) => `## Part ${part}\n\n1. Step ${number} ${part} of round ${round}.\n`);
  return Object.fromEntries(
    Array.from({ length: RUNBOOKS }, (_, number) => [
      `runbooks/r${number}.md`,
      `# Runbook ${number}\n\n${sections(number).join("\n")}`,
    ]),
  );
}

/** The rounds that a reader sees now; more than one means a half-built index. */
async function roundsServed(store: PassageStore): Promise<string[]> {
  const found = new Set<string>();
  for (let number = 0; number < RUNBOOKS; number += 1) {
    const chunks = await store.chunksOf(`r${number}`, checkout);
    const rounds = chunks.flatMap(({ text }) => [...text.matchAll(/round \d+/g)].map(([round]) => round));
    if (rounds.length !== 6) found.add(`r${number} has ${rounds.length} sections`);
    for (const round of rounds) found.add(round);
  }
  return [...found];
}

/** A process that has loaded everything and waits for `begin`. */
function prepare(directory: string, url: string | null) {
  const child = spawn(process.execPath, [SCRIPT, ...(url === null ? [] : [url])], {
    cwd: directory,
    env: { PATH: process.env["PATH"] ?? "" },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(child, "exit");
  return {
    child,
    ended,
    begin: async () => {
      child.stdin.write("go\n");
      await once(child.stdout, "data");
    },
  };
}

async function runWhole(directory: string, url: string | null): Promise<number> {
  const { begin, ended } = prepare(directory, url);
  await begin();
  const began = performance.now();
  expect((await ended)[0]).toBe(0);
  return performance.now() - began;
}

/**
 * Kills `KILLS` runs at moments spread over a whole run's duration. After each, a reader opened anew must see one round
 * whole: the last one that was published, or the killed one if its switch was done.
 */
async function killOften(directory: string, url: string | null, open: () => PassageStore): Promise<void> {
  writeFiles(directory, { "access.yaml": ACCESS, ...runbooksOf(0) });
  await runWhole(directory, url);
  writeFiles(directory, runbooksOf(1));
  const duration = await runWhole(directory, url);
  let published = "round 1";
  // Starting takes most of the time: the next ones do it meanwhile.
  const prepared = Array.from({ length: PREPARED }, () => prepare(directory, url));
  for (let kill = 0; kill < KILLS; kill += 1) {
    const round = kill + 2;
    writeFiles(directory, runbooksOf(round));
    const { child, begin, ended } = prepared.shift() ?? prepare(directory, url);
    await begin();
    if (kill + PREPARED < KILLS) prepared.push(prepare(directory, url));
    await sleep((duration * (kill + 0.5)) / KILLS);
    child.kill("SIGKILL");
    await ended;

    const store = open();
    const served = await roundsServed(store);
    await store.close();

    expect([[published], [`round ${round}`]]).toContainEqual(served);
    published = served[0] ?? "";
  }
  await runWhole(directory, url);
  const store = open();
  expect(await roundsServed(store)).toEqual([`round ${KILLS + 1}`]);
  await store.close();
}

describe("a run that is killed, at fifty moments", () => {
  it("leaves the SQLite index whole and sound, and the next run finishes the work", { timeout: 180_000 }, async () => {
    const directory = temporaryDirectory();
    const index = join(directory, "data/index.sqlite");

    await killOften(directory, null, () => {
      const database = new DatabaseSync(index, { readOnly: true });
      expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
      database.close();
      return createSqlitePassageStore(index);
    });

    expect(readdirSync(join(directory, "data")).filter((name) => name.includes("building"))).toEqual([]);
    expect(existsSync(join(directory, "data/reindex.lock"))).toBe(false);
  });

  it("leaves Qdrant's index whole, and the next run finishes the work", { timeout: 180_000 }, async () => {
    const server = await createQdrantStandIn();
    const directory = temporaryDirectory();

    await killOften(directory, server.url, () =>
      createQdrantPassageStore({ url: server.url, apiKey: null, collection: "runbooks" }),
    );

    // The last version and the one before it; none that was left half-built.
    expect(server.collections.size).toBeLessThanOrEqual(2);
  });

  it("does not pay twice for what was embedded before", async () => {
    const directory = temporaryDirectory();
    writeFiles(directory, { "access.yaml": ACCESS, ...runbooksOf(0) });
    await runWhole(directory, null);
    rmSync(join(directory, "data/index.sqlite"));

    const { child, begin, ended } = prepare(directory, null);
    let output = "";
    child.stdout.on("data", (data) => (output += String(data)));
    await begin();
    await ended;

    expect(output).toContain("embedded 0\n");
  });
});
