import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { createAnswering } from "../../src/create-answering.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { createQdrantPassageStore } from "../../src/store/qdrant-passage-store.ts";
import { createSqlitePassageStore } from "../../src/store/sqlite-passage-store.ts";
import { createQdrantStandIn } from "../fakes/qdrant/qdrant-stand-in.ts";
import { createWorld, writeFiles } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const runbook = (number: number) =>
  `# Checkout pool exhausted\n\n## First checks\n\n1. Count the connections of the checkout pool: \`pool count --round ${number}\`.\n2. Free the idle ones: \`pool free --round ${number}\`.\n`;
const LIVE_WITHIN_MS = 5000;
const ROUNDS = 4;

describe.each(["SQLite", "Qdrant"])("a running bot on %s while runbooks are indexed", (kind) => {
  it("answers every question from one version whole, and from the new one within five seconds", async () => {
    const world = await createWorld({ runbooks: { "pool.md": runbook(0) }, access: ACCESS });
    const server = kind === "Qdrant" ? await createQdrantStandIn() : null;
    const open = (): PassageStore =>
      server === null
        ? createSqlitePassageStore(world.indexPath)
        : createQdrantPassageStore({ url: server.url, apiKey: null, collection: "runbooks" });
    // Two processes in life: the one that indexes and the one that answers.
    const [writing, reading] = [open(), open()];
    await world.index({ store: writing });
    const { policy, embeddingModel } = world;
    const answer = createAnswering({
      policy: () => policy,
      store: reading,
      embeddingModel,
      chat: null,
      modelBudgetMs: 8000,
    });
    const allowed = allowServices(["checkout"]);
    const audience = { shared: allowed, caller: allowed };
    const seen: string[][] = [];
    const over = new AbortController();
    const ask = async () => {
      const answered = await answer({ text: "checkout pool exhausted, count the connections", thread: [] }, audience);
      seen.push([...new Set(JSON.stringify(answered).match(/--round \d+/g) ?? [])]);
    };
    const asker = (async () => {
      while (!over.signal.aborted) {
        await ask();
        await sleep(10);
      }
    })();

    for (let round = 1; round <= ROUNDS; round += 1) {
      writeFiles(world.runbooksDir, { "pool.md": runbook(round) });
      await world.index({ store: writing });
      const published = performance.now();
      while (seen.at(-1)?.[0] !== `--round ${round}`) {
        expect(performance.now() - published).toBeLessThan(LIVE_WITHIN_MS);
        await sleep(20);
      }
    }
    over.abort();
    await asker;
    await Promise.all([writing.close(), reading.close()]);

    expect(new Set(seen.map((rounds) => rounds.length))).toEqual(new Set([1]));
    expect(seen.at(-1)).toEqual([`--round ${ROUNDS}`]);
  }, 60_000);
});
