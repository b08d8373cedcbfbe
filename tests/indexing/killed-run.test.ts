import { spawn } from "node:child_process";
import { appendFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const REINDEX = join(import.meta.dirname, "../../scripts/reindex.ts");
const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;

describe("a reindex that is killed", () => {
  it(
    "leaves the last good index whole, whenever it is killed, and the next run finishes the work",
    { timeout: 120_000 },
    async () => {
      const directory = temporaryDirectory();
      const runbook = (number: number) =>
        `# Runbook ${number}\n\n${Array.from({ length: 5 }, (_, part) => `## Part ${part}\n\n1. Step ${number} ${part}.\n`).join("\n")}`;
      writeFiles(directory, {
        "access.yaml": ACCESS,
        ...Object.fromEntries(Array.from({ length: 8 }, (_, number) => [`runbooks/r${number}.md`, runbook(number)])),
      });
      const env = { PATH: process.env["PATH"] ?? "", DATA_DIR: join(directory, "data") };
      const start = () => spawn(process.execPath, [REINDEX], { cwd: directory, env, stdio: "ignore" });
      const ended = (child: ReturnType<typeof start>) => new Promise((resolve) => child.once("exit", resolve));
      await ended(start());
      const index = join(directory, "data/index.sqlite");

      for (let kill = 0; kill < 10; kill += 1) {
        appendFileSync(join(directory, "runbooks/r1.md"), `\n## Later ${kill}\n\n1. Another step ${kill}.\n`);
        const child = start();
        const over = ended(child);
        await sleep(300 + kill * 120);
        child.kill("SIGKILL");
        await over;

        const database = new DatabaseSync(index, { readOnly: true });
        expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
        expect(database.prepare("SELECT count(*) AS n FROM runbooks").get()).toEqual({ n: 8 });
        database.close();
      }
      await ended(start());

      const database = new DatabaseSync(index, { readOnly: true });
      expect(database.prepare("SELECT count(*) AS n FROM chunks WHERE heading_trail LIKE '%Later 9%'").get()).toEqual({
        n: 1,
      });
      database.close();
      expect(readdirSync(join(directory, "data")).filter((name) => name.includes("building"))).toEqual([]);
    },
  );
});
