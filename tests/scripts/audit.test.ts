import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/audit.ts");
const line = (overrides: object) =>
  `${JSON.stringify({
    at: "2026-11-20T10:00:00.000Z",
    answer_id: "a1",
    user: "U0ALICE",
    channel: "C0INCIDENT",
    thread: null,
    kind: "command",
    outcome: "answered",
    shown_to: "everyone",
    services: ["checkout-api"],
    sources: ["checkout/pool"],
    policy: "p1",
    index: "i1",
    ...overrides,
  })}\n`;

async function audit(args: readonly string[]) {
  const directory = temporaryDirectory();
  writeFiles(directory, {
    ".data/audit-20261031T100000000Z.jsonl": line({ at: "2026-10-30T10:00:00.000Z", answer_id: "a0" }),
    ".data/audit.jsonl":
      line({}) +
      line({ answer_id: "a2", user: "U0BOB", shown_to: "asker", kind: "direct_message", channel: "D0BOB" }) +
      '{"at"\n',
  });
  const options = { cwd: directory, env: { PATH: process.env["PATH"] ?? "" } };
  return promisify(execFile)(process.execPath, [SCRIPT, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("npm run audit", { timeout: 30_000 }, () => {
  it("says who saw a runbook since a day, rotated files included", async () => {
    const since = await audit(["--source", "checkout/pool", "--since", "2026-11-01"]);
    const all = await audit(["--source", "checkout/pool.md", "--json"]);

    expect(since.stdout.trim().split("\n")).toEqual([
      "2026-11-20T10:00:00.000Z  everyone in C0INCIDENT  asked by U0ALICE (command): checkout/pool  [policy p1, index i1]",
      "2026-11-20T10:00:00.000Z  U0BOB alone in D0BOB  asked by U0BOB (direct message): checkout/pool  [policy p1, index i1]",
    ]);
    const ids = all.stdout
      .trim()
      .split("\n")
      .map((text) => (JSON.parse(text) as { answer_id: string }).answer_id);
    expect(ids).toEqual(["a0", "a1", "a2"]);
  });

  it("looks at one person, and tells of lines that it can't read", async () => {
    const { stdout, stderr } = await audit(["--user", "U0BOB"]);

    expect(stdout.trim().split("\n")).toHaveLength(1);
    expect(stderr).toBe("1 lines can't be read\n");
  });

  it("says that nothing was found, and refuses a date that is none", async () => {
    expect(await audit(["--source", "payments/ledger"])).toMatchObject({ code: 0, stdout: "nothing found\n" });
    expect(await audit(["--since", "last week"])).toMatchObject({ code: 2 });
    expect((await audit(["--help"])).stdout).toMatch(/^Usage: npm run audit/);
  });
});
