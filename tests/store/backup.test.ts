import { copyFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

import { expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createWorld, writeFiles } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const runbook = (round: number) => `# Pool\n\n1. Count connections, round ${round}.\n`;

it("is a plain copy of the file, taken while it is read and replaced, and restored by putting it back", async () => {
  const world = await createWorld({ runbooks: { "pool.md": runbook(0) }, access: ACCESS });
  await world.index();
  const reader = createSqlitePassageStore(world.indexPath);
  const read = async () => {
    await reader.currentIndex();
    return (await reader.chunksOf("pool", allowServices(["checkout"])))[0]?.text.match(/round \d+/)?.[0];
  };
  const copies: string[] = [];
  for (let round = 1; round <= 5; round += 1) {
    writeFiles(world.runbooksDir, { "pool.md": runbook(round) });
    const indexing = world.index();
    const copy = join(world.directory, `copy-${round}.sqlite`);
    copyFileSync(world.indexPath, copy);
    copies.push(copy);
    await indexing;
    expect(await read()).toBe(`round ${round}`);
  }

  for (const [place, copy] of copies.entries()) {
    const database = new DatabaseSync(copy, { readOnly: true });
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    database.close();
    renameSync(copy, world.indexPath);
    expect(await read()).toBe(`round ${place}`);
  }
  await reader.close();
});
