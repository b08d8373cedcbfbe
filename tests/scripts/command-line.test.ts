import { execFile } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, it } from "vitest";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll } from "vitest";

import { writeFiles } from "../fakes/temporary-world.ts";

const ROOT = join(import.meta.dirname, "../..");
const ACCESS = `services:
  checkout-api: { aliases: [checkout], owner: commerce, runbooks: ["checkout/**/*.md"], readers: [commerce] }
  payments: { aliases: [ledger], owner: core, runbooks: ["payments/**/*.md"], readers: [core] }
groups:
  commerce: { members: [U0ALICE] }
  core: { members: [U0DAN] }
channels:
  C0PAY: { services: [payments] }
links: { url: "https://git.example.test/{path}#L{line}" }
admins: [core]
`;
const POOL = `# Checkout database connections

## First checks

1. Count connections with \`poolctl count\`.
2. Compare with the pool limit of 400.
`;
const LEDGER = "# Ledger drift of payments\n\n## Steps\n\n1. Reconcile the payments ledger: `payctl reconcile`.\n";

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

let world = "";
beforeAll(() => {
  world = mkdtempSync(join(tmpdir(), "runbook-bot-cli-"));
  writeFiles(world, {
    "runbooks/checkout/pool.md": POOL,
    "runbooks/payments/ledger.md": LEDGER,
    "access.yaml": ACCESS,
  });
});
afterAll(() => rmSync(world, { recursive: true, force: true }));

async function run(script: string, args: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const settings = {
    RUNBOOKS_DIR: join(world, "runbooks"),
    ACCESS_FILE: join(world, "access.yaml"),
    DATA_DIR: join(world, "data"),
    PATH: process.env["PATH"] ?? "",
    ...env,
  };
  try {
    const options = { cwd: world, env: settings, maxBuffer: 50_000_000 };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [join(ROOT, "scripts", script), ...args],
      options,
    );
    return { code: 0, stdout, stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, stdout, stderr };
  }
}

const linesOf = (text: string) => text.trim().split("\n");
const noStack = (text: string) => expect(text).not.toMatch(/^\s+at /m);

describe("the command line", { timeout: 60_000 }, () => {
  it("says how to make an index when there is none", async () => {
    const { code, stdout, stderr } = await run("ask.ts", ["--as", "U0ALICE", "pool"], {
      DATA_DIR: join(world, "none"),
    });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toMatch(/^freshness: there is no index yet; run: npm run reindex\n$/);
  });

  it("indexes, and reports as JSON on stdout alone", async () => {
    const { code, stdout, stderr } = await run("reindex.ts", ["--json"]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      published: true,
      complete: true,
      model: { provider: "local", name: "minilm-l6-v2", dimensions: 384 },
      documents: { total: 2, added: 2, changed: 0, removed: 0, unchanged: 0 },
      failures: [],
      warnings: [],
      left_out: [],
    });
  });

  it("answers from what the asker may see, as text and as JSON", async () => {
    const text = await run("ask.ts", ["--as", "U0ALICE", "checkout database connections refused"]);
    const json = await run("ask.ts", ["--as", "U0ALICE", "--json", "checkout database connections refused"]);

    expect(text.stdout).toContain("1. Count connections with `poolctl count`.");
    expect(text.stdout).toContain("https://git.example.test/checkout/pool.md#L5");
    expect(JSON.parse(json.stdout)).toMatchObject({
      id: null,
      outcome: "answered",
      recommendation: { source_ids: ["checkout/pool"] },
      passages: [{ source_id: "checkout/pool", start_line: 3, url: "https://git.example.test/checkout/pool.md#L3" }],
      caller_only: null,
      answered_by: { classification: "rules", recommendation: "extractive" },
    });
  });

  it("explains how an answer was found, from the asker's own services only", async () => {
    const { stdout } = await run("ask.ts", [
      "--as",
      "U0ALICE",
      "--explain",
      "--json",
      "checkout database connections refused",
    ]);
    const text = await run("ask.ts", ["--as", "U0ALICE", "--explain", "checkout database connections refused"]);

    const { explain } = JSON.parse(stdout) as { explain: { services: string[]; runbooks: { service: string }[] } };
    expect(explain).toMatchObject({
      road: "search",
      relevance: "answer",
      runbooks: [{ source_id: "checkout/pool", left_out: null, parts: { chunk_cosine: expect.any(Number) } }],
    });
    expect(explain.runbooks.every(({ service }) => explain.services.includes(service))).toBe(true);
    expect(text.stdout).toContain("1. checkout/pool (checkout-api) ");
  });

  it("shows a channel its part and the caller the rest", async () => {
    const { stdout } = await run("ask.ts", [
      "--as",
      "U0ALICE",
      "--channel",
      "C0PAY",
      "--json",
      "checkout database connections",
    ]);

    expect(JSON.parse(stdout)).toMatchObject({
      outcome: "no_match",
      recommendation: null,
      passages: [],
      caller_only: { passages: [{ source_id: "checkout/pool" }] },
    });
  });

  it("lets a user whom the access file does not list see nothing, and says so", async () => {
    const { code, stdout, stderr } = await run("ask.ts", [
      "--as",
      "U0NOBODY",
      "--json",
      "checkout database connections",
    ]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: "no_match", ask_instead: { group: "core" } });
    expect(stderr).toContain("U0NOBODY");
  });

  it("answers a batch in order, one line each, and goes on after a bad line", async () => {
    const good = Array.from({ length: 200 }, (_, index) =>
      JSON.stringify({ id: `q${index}`, as: "U0ALICE", text: index % 2 ? "pool limit of checkout" : "thanks!" }),
    );
    const batch = join(world, "batch.jsonl");
    const bad = ["no JSON", JSON.stringify({ id: "x", text: "as is missing" }), JSON.stringify({ as: 7 })];
    writeFileSync(batch, [...good.slice(0, 100), ...bad, ...good.slice(100)].join("\n"));

    const { code, stdout } = await run("ask.ts", ["--batch", batch]);

    const answers = linesOf(stdout).map((line) => JSON.parse(line) as { id: string | null; outcome: string });
    expect(code).toBe(1);
    expect(answers).toHaveLength(203);
    expect(answers.slice(100, 103)).toMatchObject([
      { id: null, outcome: "failed", error: { kind: "input" } },
      { id: "x", outcome: "failed" },
      { id: null, outcome: "failed" },
    ]);
    expect(answers.filter(({ outcome }) => outcome !== "failed").map(({ id }) => id)).toEqual(
      good.map((_, index) => `q${index}`),
    );
  });

  it.each([
    ["empty", ""],
    ["blank", "   "],
    ["of 40,000 characters", "pool ".repeat(8000)],
    ["of control characters", "\u0001\u0007\u001B[2J"],
    ["of half a pair", "pool \\ud800"],
    ["of markup", "<!channel> <@U0X> <https://evil.test|x> `*_~"],
  ])("ends well for a text that is %s", async (_name, text) => {
    const batch = join(world, "odd.jsonl");
    writeFileSync(batch, JSON.stringify({ id: "odd", as: "U0ALICE", text }).replace("\\\\ud800", "\\ud800"));

    const { code, stdout, stderr } = await run("ask.ts", ["--batch", batch]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      id: "odd",
      outcome: expect.stringMatching(/answered|no_match|not_an_incident/),
    });
  });

  it.each([
    ["an unknown option", "ask.ts", ["--as", "U0ALICE", "--loud", "x"], /--loud/],
    ["nobody asking", "ask.ts", ["pool"], /--as USER is missing/],
    ["no questions", "evaluate.ts", [], /--questions FILE is missing/],
    ["a batch that is not there", "ask.ts", ["--batch", "/nowhere"], /ENOENT/],
  ])("refuses %s with exit code 2", async (_name, script, args, expected) => {
    const { code, stdout, stderr } = await run(script, args);

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(expected);
    noStack(stderr);
  });

  it("lists every bad setting at once, without its value", async () => {
    const { code, stderr } = await run("reindex.ts", [], {
      PORT: "x",
      MODEL_TIMEOUT_MS: "-1",
      OPENAI_BASE_URL: "sk-secret",
    });

    expect(code).toBe(2);
    expect(linesOf(stderr).map((line) => line.split(":")[0])).toEqual(["PORT", "OPENAI_BASE_URL", "MODEL_TIMEOUT_MS"]);
    expect(stderr).not.toContain("sk-secret");
  });

  it("ends with 2 for a bad access file, naming file and line", async () => {
    const access = join(world, "bad.yaml");
    writeFileSync(access, ACCESS.replace("readers: [core]", 'readers: ["*"]'));

    const { code, stderr } = await run("reindex.ts", ["--check"], { ACCESS_FILE: access });
    const json = await run("reindex.ts", ["--check", "--json"], { ACCESS_FILE: access });

    expect([code, json.code]).toEqual([2, 2]);
    expect(stderr).toMatch(/bad\.yaml:3: services\.payments\.readers\.0/);
    expect(JSON.parse(json.stdout)).toMatchObject({ failures: [{ path: access, line: 3 }] });
    noStack(stderr);
  });

  it("ends with 1 for a bad file, and publishes nothing", async () => {
    const runbooks = join(world, "more");
    writeFiles(runbooks, { "checkout/pool.md": POOL, "payments/empty.md": "" });
    const env = { RUNBOOKS_DIR: runbooks, DATA_DIR: join(world, "data-more") };

    const check = await run("reindex.ts", ["--check", "--json"], env);
    const stopped = await run("reindex.ts", [], env);
    const skipped = await run("reindex.ts", ["--skip-bad", "--json"], env);

    expect(check.code).toBe(1);
    expect(JSON.parse(check.stdout)).toMatchObject({
      failures: [{ path: "payments/empty.md", reason: "the file is empty" }],
    });
    expect(stopped.code).toBe(1);
    expect(stopped.stderr).toContain("payments/empty.md: the file is empty");
    expect(skipped.code).toBe(0);
    expect(JSON.parse(skipped.stdout)).toMatchObject({ published: true, complete: false });
  });

  it("ends with one clear line when the data directory can't be written", async () => {
    const locked = join(world, "locked");
    writeFileSync(locked, "a file, not a directory");
    chmodSync(locked, 0o400);

    const { code, stdout, stderr } = await run("reindex.ts", [], { DATA_DIR: locked });

    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(linesOf(stderr)).toHaveLength(1);
    noStack(stderr);
  });

  it("measures labelled questions", async () => {
    const questions = join(world, "questions.jsonl");
    const asked = [
      {
        id: "1",
        as: "U0ALICE",
        text: "checkout database connections refused",
        kind: "plain",
        relevant: ["checkout/pool#First checks"],
      },
      {
        id: "2",
        as: "U0ALICE",
        text: "reconcile the payments ledger",
        kind: "no-answer",
        relevant: [],
        forbidden_services: ["payments"],
      },
    ];
    writeFileSync(questions, asked.map((question) => JSON.stringify(question)).join("\n"));

    const { code, stdout } = await run("evaluate.ts", ["--questions", questions, "--json"]);

    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      overall: { questions: 1, hit_at_1: 1, hit_at_3: 1, mrr_at_10: 1 },
      by_kind: { plain: { questions: 1 } },
      leaks: 0,
      questions: [
        { id: "1", hit_rank: 1, ranked: ["checkout/pool#First checks"] },
        { id: "2", hit_rank: null },
      ],
    });
  });

  it.each(["reindex.ts", "ask.ts", "evaluate.ts", "bench.ts"])("explains itself: %s --help", async (script) => {
    const { code, stdout, stderr } = await run(script, ["--help"]);

    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(/^Usage: npm run/);
  });

  it("is named in the README, command by command", () => {
    const scripts = Object.keys(
      (JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8")) as { scripts: object }).scripts,
    );
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");

    for (const script of scripts) expect(readme).toMatch(new RegExp(`npm (?:run )?(?:-s )?${script}\\b`));
  });
});
