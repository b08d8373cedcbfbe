import { describe, expect, it } from "vitest";

import type { AnswerAudience } from "../../../src/answering/answer-audience.ts";
import type { Answer } from "../../../src/domain.ts";
import { allowServices } from "../../../src/access/allowed-services.ts";
import type { PassageStore } from "../../../src/store/passage-store.ts";
import { createQdrantPassageStore } from "../../../src/store/qdrant-passage-store.ts";
import { createQdrantStandIn } from "../../fakes/qdrant/qdrant-stand-in.ts";
import { playWorld, type Played, type PlaySettings } from "./play-world.ts";

/** More by hand: LEAK_WORLDS=2000 npx vitest run tests/integration/leaks/random-worlds.test.ts */
const WORLDS = Number(process.env["LEAK_WORLDS"] ?? 8);
const SEED = Number(process.env["LEAK_SEED"] ?? 1);
const AT_ONCE = Number(process.env["LEAK_AT_ONCE"] ?? 10);
const TIMEOUT_MS = 120_000 + WORLDS * 4000;

/** Half of the worlds on each store. */
async function playAll(worlds: number, settings: Partial<PlaySettings> = {}): Promise<Played> {
  const server = await createQdrantStandIn();
  const sum = { leaks: [] as string[], shown: 0, asked: 0 };
  let next = 0;
  const work = async () => {
    while (next < worlds) {
      const number = next++;
      const collection = `world-${number}`;
      const store = createQdrantPassageStore({ url: server.url, apiKey: null, collection });
      const { leaks, shown, asked } = await playWorld({
        seed: SEED + number,
        ...(number % 2 === 0 ? {} : { store }),
        ...settings,
      });
      sum.leaks.push(...leaks);
      sum.shown += shown;
      sum.asked += asked;
      for (const name of server.collections.keys())
        if (name.startsWith(`${collection}_`)) server.collections.delete(name);
      server.requests.length = 0;
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, worlds) }, work));
  return sum;
}

/** The text of a page that the readers may not see, below the name of one that they may. */
function leakOnePassage(store: PassageStore): PassageStore {
  const everything = async () => allowServices((await store.listRunbooks()).map(({ service }) => service));
  return {
    ...store,
    async search(query, allowedServices, limit) {
      const found = await store.search(query, allowedServices, limit);
      const all = await store.search(query, await everything(), limit);
      const hidden = all.runbooks.find(({ runbook }) => !allowedServices.has(runbook.service))?.chunks[0]?.chunk;
      const [top, ...others] = found.runbooks;
      if (hidden === undefined || top === undefined) return found;
      const chunks = top.chunks.map((ranked) => ({ ...ranked, chunk: { ...ranked.chunk, text: hidden.text } }));
      return { ...found, runbooks: [{ ...top, chunks }, ...others] };
    },
  };
}

/** Names one more service than the readers may know. */
function leakOneName(answer: AnswerAudience): AnswerAudience {
  return async (message, audience) => {
    const answered = await answer(message, audience);
    const name = ["harbor", "harbor-gate", "harbor-gates"].find((service) => !audience.caller.has(service));
    const shared = { ...answered.shared, warnings: [...answered.shared.warnings, `see also ${name ?? ""}`] } as Answer;
    return { ...answered, shared };
  };
}

describe("random worlds through the Slack edge, on both stores", () => {
  it(`leak nothing (${WORLDS} worlds)`, { timeout: TIMEOUT_MS }, async () => {
    const { leaks, shown, asked } = await playAll(WORLDS);

    process.stderr.write(`${WORLDS} worlds, ${asked} questions, ${shown} replies with a page, ${leaks.length} leaks\n`);
    expect(leaks).toEqual([]);
    // The bot answered: silence would leak nothing either.
    expect(shown).toBeGreaterThan(asked / 10);
  });

  it("would be caught leaking by a store that gives one hidden passage", { timeout: TIMEOUT_MS }, async () => {
    const { leaks } = await playAll(2, { aroundStore: leakOnePassage });

    expect(leaks.length).toBeGreaterThan(0);
  });

  it("would be caught leaking by an answer that names one hidden service", { timeout: TIMEOUT_MS }, async () => {
    const { leaks } = await playAll(2, { around: leakOneName });

    expect(leaks.length).toBeGreaterThan(0);
  });
});
