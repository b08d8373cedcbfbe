import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { describe, expect, it } from "vitest";

import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const SCRIPT = join(import.meta.dirname, "../../scripts/access.ts");
const ACCESS = `services:
  checkout-api: { owner: commerce, runbooks: ["checkout/*.md"], readers: [commerce, oncall] }
  payments: { owner: core, runbooks: ["payments/*.md"], readers: [core] }
groups:
  commerce: { members: [U0ALICE] }
  core: { members: [U0DAN] }
  oncall: { slack_usergroup: S0ONCALL }
channels:
  C0PAY: { services: [payments] }
`;

async function access(args: readonly string[], files: Record<string, string> = {}) {
  const directory = temporaryDirectory();
  writeFiles(directory, { "access.yaml": ACCESS, "old.yaml": ACCESS, "runbooks/checkout/a.md": "# A", ...files });
  const options = { cwd: directory, env: { PATH: process.env["PATH"] ?? "" } };
  return promisify(execFile)(process.execPath, [SCRIPT, ...args], options).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

describe("npm run access", { timeout: 30_000 }, () => {
  it("says what a person may see, why, and what a channel would show when they ask", async () => {
    const args = ["--user", "U0ALICE", "--channel", "C0PAY"];
    const { code, stdout } = await access(args);
    const json = await access([...args, "--json"]);

    expect(code).toBe(0);
    expect(stdout).toMatch(/checkout-api\n +in the group commerce {2}\(access\.yaml:2, member: access\.yaml:5\)/);
    expect(stdout).toMatch(
      /everyone sees: nothing\nand U0ALICE alone: checkout-api\n.*no members are known of: S0ONCALL/,
    );
    expect(JSON.parse(json.stdout)).toMatchObject({
      user: "U0ALICE",
      standing: "member",
      sees: [
        { service: "checkout-api", because: [{ rule: "members", name: "commerce", path: "access.yaml", line: 2 }] },
      ],
      asked_in_channel: { everyone: [], alone: ["checkout-api"] },
      slack_usergroups_unknown: ["S0ONCALL"],
      channel: { id: "C0PAY", listed: true, shows: [{ service: "payments" }] },
    });
  });

  it("says who may open a runbook", async () => {
    const { stdout } = await access(["--runbook", "payments/ledger.md"]);

    expect(stdout).toMatch(/belongs to payments[\s\S]*core: U0DAN {2}\(access\.yaml:3\)\n {2}C0PAY may show it/);
  });

  it("ends with 3 for an edit that opens something, with 0 for one that only closes", async () => {
    const wider = ACCESS.replace("readers: [core]", "readers: [core, everyone]");
    const opens = await access(["--diff", "old.yaml", "--json"], { "access.yaml": wider });
    const closes = await access(["--diff", "old.yaml"], { "old.yaml": wider });

    expect(opens.code).toBe(3);
    expect(JSON.parse(opens.stdout)).toMatchObject({
      grants: [{ kind: "service", what: "payments", who: "everyone", path: "access.yaml", line: 3 }],
      removals: [],
    });
    expect(closes).toMatchObject({ code: 0, stdout: expect.stringContaining("- everyone may read payments") });
  });

  it("reads the parts of access.d, and names both files of a name that stands twice", async () => {
    const part = `services: { search: { owner: core, runbooks: ["search/*.md"], readers: [U0EVE] } }\n`;
    const good = await access(["--user", "U0EVE"], { "access.d/search.yaml": part });
    const twice = await access([], { "access.d/search.yaml": part.replace("search:", "payments:") });

    expect(good.stdout).toMatch(/search\n +named by id {2}\(access\.d\/search\.yaml:1\)/);
    expect(twice).toMatchObject({ code: 2, stdout: "" });
    expect(twice.stderr).toBe(
      "access.d/search.yaml:1: services.payments: stands in access.yaml:3 already; remove one of the two\n",
    );
  });

  it("checks the file without options, and helps", async () => {
    expect((await access([])).stdout).toMatch(/^access\.yaml is good: 2 services, 3 groups, 1 channels/);
    expect((await access(["--help"])).stdout).toMatch(/^Usage: npm run access/);
    expect(await access(["--wrong"])).toMatchObject({ code: 2 });
  });
});
