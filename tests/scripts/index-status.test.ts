import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";

import { expect, it } from "vitest";

import { createWorld, writeFiles } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["checkout/*.md"], readers: [core] }
  payments: { owner: core, runbooks: ["payments/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;

async function createAgedWorld() {
  const world = await createWorld({
    runbooks: {
      "checkout/a.md": "# A\n\ntext\n",
      "checkout/b.md": "# B\n\ntext\n",
      "checkout/empty.md": "",
      "payments/c.md": "# C\n\ntext\n",
      "payments/old.md": "---\nstatus: archived\n---\n# Old\n\ntext\n",
      "payments/open.md": "---\ntitle: never closed\n# D\n",
    },
    access: ACCESS,
  });
  await world.index({ skipBad: true });
  writeFiles(world.runbooksDir, { "checkout/a.md": "# A\n\nother text\n", "payments/new.md": "# New\n" });
  rmSync(join(world.runbooksDir, "checkout/b.md"));
  return world;
}

function readStatus(world: { readonly indexPath: string; readonly runbooksDir: string }, ...args: string[]) {
  return spawnSync(process.execPath, [join(import.meta.dirname, "../../scripts/index-status.ts"), ...args], {
    cwd: dirname(world.indexPath),
    env: { PATH: process.env["PATH"] ?? "", DATA_DIR: dirname(world.indexPath), RUNBOOKS_DIR: world.runbooksDir },
    encoding: "utf8",
  });
}

it("says as JSON what is indexed, by whom, what is missing from it and what has changed since", async () => {
  const world = await createAgedWorld();

  const { status, stdout, stderr } = readStatus(world, "--json");

  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  expect(JSON.parse(stdout)).toEqual({
    version: (await world.store.currentIndex())?.version,
    indexed_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    age_ms: expect.any(Number),
    commit: null,
    model: { provider: "openai-compatible", name: "hashed-words", dimensions: 64 },
    complete: false,
    documents: 3,
    chunks: 3,
    services: { checkout: 2, payments: 1 },
    stale: ["checkout/a.md"],
    gone: ["checkout/b.md"],
    missing: ["payments/new.md"],
    left_out: [{ path: "payments/old.md", reason: "archived" }],
    failures: [
      { path: "checkout/empty.md", line: null, reason: "the file is empty" },
      { path: "payments/open.md", line: 1, reason: expect.any(String) },
    ],
    warnings: 0,
  });
});

it("says the same in words", async () => {
  const world = await createAgedWorld();

  const { status, stdout } = readStatus(world);

  expect(status).toBe(0);
  const lines = [
    /^version {4}\S+ \(incomplete: bad files were skipped\)$/m,
    /^made {7}\S+, 0 min ago$/m,
    /^model {6}hashed-words, 64 dimensions, openai-compatible$/m,
    /^content {4}3 runbooks, 3 chunks, 1 left out, 2 failed, 0 warnings$/m,
    /^ {2}checkout +2$/m,
    /^changed since \(npm run reindex\):\n {2}checkout\/a\.md$/m,
    /^gone since:\n {2}checkout\/b\.md$/m,
    /^not indexed yet:\n {2}payments\/new\.md$/m,
    /^left out:\n {2}payments\/old\.md: archived$/m,
    /^ {2}payments\/open\.md:1: /m,
  ];
  for (const line of lines) expect(stdout).toMatch(line);
});
