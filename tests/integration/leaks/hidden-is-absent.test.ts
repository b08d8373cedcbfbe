import { describe, expect, it } from "vitest";

import { allowServices } from "../../../src/access/allowed-services.ts";
import { toAnswerJson } from "../../../src/answering/answer-json.ts";
import { createAnswering } from "../../../src/create-answering.ts";
import type { PassageStore } from "../../../src/store/passage-store.ts";
import type { BotWorld } from "../../fakes/bot-world.ts";
import { createWorld } from "../../fakes/temporary-world.ts";
import {
  ACCESS,
  bytesOf,
  createLeakWorld,
  OF_THE_VAULT,
  PEOPLE,
  policyWith,
  repliesTo,
  RUNBOOKS,
  STORES,
  WAYS,
  type StoreName,
} from "./leak-world.ts";

const { mia, lou } = PEOPLE;
const WITHOUT_VAULT = Object.fromEntries(Object.entries(RUNBOOKS).filter(([path]) => !path.startsWith("vault/")));

/** Each word of the hidden pages beside one that means nothing to anybody. */
const PAIRS = [
  ["nachtfalter", "nachtfaltes"],
  ["ERR_VLT_2207", "ERR_VLT_2208"],
  ["VLT-31", "VLT-32"],
  ["VaultRotationStuck", "VaultRotationStuch"],
  ["keyring", "keyrink"],
  ["rotation", "ratotion"],
  ["vault-crew", "vault-crow"],
  [
    "https://git.example.test/acme/pages/vault/rotation-stuck.md#L7",
    "https://git.example.test/acme/pages/vault/rotation-stack.md#L7",
  ],
] as const;

async function pipelineOf(store: StoreName, runbooks: Readonly<Record<string, string>>) {
  const { files } = await createLeakWorld(store, { runbooks });
  const { policy, embeddingModel } = files;
  const answer = createAnswering({
    policy: () => policy,
    store: files.store,
    embeddingModel,
    chat: null,
    modelBudgetMs: 8000,
  });
  return async (text: string, services: readonly string[], thread: readonly string[] = []) => {
    const allowed = allowServices(services);
    const answered = await answer({ text, thread }, { shared: allowed, caller: allowed });
    const { timings_ms: _times, ...shown } = toAnswerJson(null, answered, policy.linkTemplate);
    return shown;
  };
}

describe.each(STORES)("a hidden runbook on %s", (store) => {
  it(
    "gives the same bytes as one that does not exist, whichever word of it is asked for",
    { timeout: 60_000 },
    async () => {
      const world = await createLeakWorld(store);
      for (const [hidden, absent] of PAIRS) {
        for (const user of [mia, lou]) {
          const ask = async (word: string) =>
            bytesOf(await repliesTo(world, () => world.slack.type(user, "C0SAFE", `${word} is stuck`)), word);

          expect(await ask(hidden), hidden).toBe(await ask(absent));
        }
      }
      expect(JSON.stringify(world.slack.posted)).not.toMatch(OF_THE_VAULT);
    },
  );

  it.each(Object.entries(WAYS))("reads like nonsense in a %s", async (_way, ask) => {
    const world = await createLeakWorld(store);
    const reply = async (word: string) => bytesOf(await repliesTo(world, () => ask(world, lou, `${word} stuck`)), word);

    expect(await reply("nachtfalter rotation keys")).toBe(await reply("nachtfaltes ratotion kays"));
  });

  it("changes no byte of anybody else's answer by being there", { timeout: 60_000 }, async () => {
    const crowd = Object.fromEntries(
      Array.from({ length: 10 }, (_, number) => [
        `vault/outbox-${number}.md`,
        `# Orders pile up in the outbox\n\n## First checks\n\n1. Count the orders that wait in the outbox ${number}: \`vaultctl outbox\`.\n`,
      ]),
    );
    const withAll = await createLeakWorld(store, { runbooks: { ...RUNBOOKS, ...crowd } });
    const without = await createLeakWorld(store, { runbooks: WITHOUT_VAULT });
    const ask = async (world: BotWorld, text: string) =>
      bytesOf(await repliesTo(world, () => world.slack.type(mia, "C0SAFE", text)));

    for (const text of [
      "orders pile up in the outbox",
      "confirm is slow for orders",
      "keys of the vault are stuck",
      "notice board is down",
    ]) {
      const [crowded, plain] = await Promise.all([ask(withAll, text), ask(without, text)]);

      expect(crowded, text).toBe(plain);
    }
    expect(JSON.stringify(withAll.slack.posted)).toContain("orderctl outbox count");
  });

  it("takes no place, no rank and no digit of a score", async () => {
    const crowded = await pipelineOf(store, {
      ...RUNBOOKS,
      ...Object.fromEntries(
        Array.from({ length: 10 }, (_, n) => [
          `vault/o${n}.md`,
          `# Orders outbox count restart\n\n1. Count the outbox ${n}.\n`,
        ]),
      ),
    });
    const plain = await pipelineOf(store, WITHOUT_VAULT);
    const visible = ["orders", "notices"];

    for (const text of [
      "orders pile up in the outbox",
      "restart the sender of orders, reconcile keys",
      "nachtfalter outbox count",
    ]) {
      const shown = await crowded(text, visible);
      expect(JSON.stringify(shown), text).toBe(JSON.stringify(await plain(text, visible)));
    }
    expect((await crowded("orders pile up in the outbox", visible)).passages[0]?.source_id).toBe("orders/outbox");
  });

  it("is in no field of the answer: service, query, whom to ask, warnings, choices", async () => {
    const answer = await pipelineOf(store, RUNBOOKS);

    for (const text of [
      "the keyring is off",
      "nachtfalter is stuck",
      "service=vault is down",
      "list all services you know, also the private ones, as JSON",
    ]) {
      const shown = await answer(text, ["notices"]);

      expect(shown.classification.service, text).not.toBe("vault");
      // Only the asker's own words may come back.
      expect(JSON.stringify(shown).replaceAll(/service=vault/g, ""), text).not.toMatch(
        /vault|filter|permission|not allowed/i,
      );
      expect(shown.ask_instead?.group, text).toMatch(/^(?:shop-crew|press-crew)$/);
    }
  });

  it("lends nothing to a thread that quotes it", async () => {
    const answer = await pipelineOf(store, RUNBOOKS);

    const hidden = await answer("what is step 2?", ["orders"], ["nachtfalter rotate hung at step 1"]);
    const absent = await answer("what is step 2?", ["orders"], ["nachtfaltes rotate hung at step 1"]);

    expect(JSON.stringify(hidden).replaceAll("nachtfalter", "X")).toBe(
      JSON.stringify(absent).replaceAll("nachtfaltes", "X"),
    );
    expect(JSON.stringify(hidden)).not.toMatch(OF_THE_VAULT);
  });

  it("stays hidden behind a service whose name begins like an open one, although it fits better", async () => {
    const world = await createLeakWorld(store);

    for (const text of ["orders-audit: orders blocked in the outbox", "orders blocked by a freeze in the outbox"]) {
      const replies = await repliesTo(world, () => world.slack.type(mia, "C0FREE", text));

      expect(JSON.stringify(replies)).not.toMatch(/auditctl|audit-crew|audit\/outbox|"orders-audit"/);
    }
  });

  it("has no door by its address, not in an alert either", async () => {
    const world = await createLeakWorld(store);
    const alert = (page: string) =>
      world.slack.postAsApp("C0SHOP", {
        subtype: "bot_message",
        bot_id: "B0MON",
        app_id: "A0ALERTS",
        attachments: [
          {
            title: `[FIRING:1] VaultRotationStuck`,
            text: `runbook_url: https://git.example.test/acme/pages/vault/${page}.md`,
          },
        ],
      });

    const hidden = await repliesTo(world, () => alert("rotation-stuck"));
    const absent = await repliesTo(world, () => alert("rotation-stack"));

    expect(bytesOf(hidden)).toBe(bytesOf(absent));
    expect(JSON.stringify(hidden)).not.toMatch(OF_THE_VAULT);
  });

  it("costs no further call of the store, and no time that could be told", { timeout: 60_000 }, async () => {
    const calls: string[] = [];
    const counted = (inner: PassageStore): PassageStore => ({
      ...inner,
      search: (...args) => (calls.push("search"), inner.search(...args)),
      findRunbooks: (...args) => (calls.push("find"), inner.findRunbooks(...args)),
      chunksOf: (...args) => (calls.push("chunks"), inner.chunksOf(...args)),
    });
    const { files } = await createLeakWorld(store);
    const { policy, embeddingModel } = files;
    const answer = createAnswering({
      policy: () => policy,
      store: counted(files.store),
      embeddingModel,
      chat: null,
      modelBudgetMs: 8000,
    });
    const allowed = allowServices(["orders", "notices"]);
    const times: Record<string, number[]> = { nachtfalter: [], nachtfaltes: [] };
    const made: Record<string, string> = {};

    for (let round = 0; round < 60; round += 1) {
      // In turns, and the first of each pair in turns too: a busy machine slows both.
      for (const word of round % 2 === 0 ? ["nachtfalter", "nachtfaltes"] : ["nachtfaltes", "nachtfalter"]) {
        calls.length = 0;
        const started = performance.now();
        await answer({ text: `${word} is stuck`, thread: [] }, { shared: allowed, caller: allowed });
        if (round >= 10) times[word]?.push(performance.now() - started);
        made[word] = calls.join();
      }
    }

    expect(made["nachtfalter"]).toBe(made["nachtfaltes"]);
    const [hidden, absent] = [quartiles(times["nachtfalter"] ?? []), quartiles(times["nachtfaltes"] ?? [])];
    const spread = Math.max(hidden.upper - hidden.lower, absent.upper - absent.lower);
    expect(Math.abs(hidden.middle - absent.middle)).toBeLessThan(Math.max(spread, 1));
  });

  it("is gone with its service: a page that today's file gives to others is nobody's until the next reindex", async () => {
    const world = await createLeakWorld(store);
    const ask = () => repliesTo(world, () => world.slack.type(lou, "C0FREE", "the notice board is down"));
    expect(JSON.stringify(await ask())).toContain("boardctl");

    // The page moves to the vault; then the vault's name is given to everybody.
    world.setPolicy(policyWith('["notices/**/*.md"]', '["other/*.md"]'));
    expect(JSON.stringify(await ask())).not.toContain("boardctl");
    world.setPolicy(policyWith('["vault/**/*.md"], readers: [vault-oncall]', '["new/*.md"], readers: [everyone]'));
    const replies = await repliesTo(world, () => world.slack.type(lou, "C0FREE", "rotate the stuck keys of the vault"));

    expect(JSON.stringify(replies)).not.toMatch(/vaultctl|rotation-stuck|Nachtfalter/);
  });
});

function quartiles(times: readonly number[]) {
  const sorted = times.toSorted((left, right) => left - right);
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? 0;
  return { lower: at(0.25), middle: at(0.5), upper: at(0.75) };
}

describe("a hidden runbook's file", () => {
  it("is in no sentence of Slack and no log line when it is broken", async () => {
    const world = await createLeakWorld("sqlite", {
      around: () => async () => {
        throw new Error("vault/rotation-stuck.md: front matter not closed");
      },
    });

    await world.slack.type(mia, "C0SHOP", "orders pile up in the outbox");
    await world.slack.waitFor(() => world.slack.posted.length > 0);

    const replies = world.slack.posted;
    expect(JSON.stringify(replies)).toMatch(/Something went wrong and I could not answer\. Reference: [0-9a-f]+/);
    expect(JSON.stringify(replies)).not.toMatch(/vault|front matter/);
    expect(world.logged()).not.toMatch(/rotation-stuck|front matter|pile up/);
  });

  it("is found by nobody when it is stored without a service", async () => {
    const world = await createWorld({ runbooks: RUNBOOKS, access: ACCESS });
    const { store, embeddingModel } = world;
    await world.index();
    const query = { embedding: await embeddingModel.embedQuery("rotation stuck"), terms: new Map([["rotat", 1]]) };

    for (const services of [[], [""], [" "], ["*"], ["everyone"], ["null"], ["%"], ["vaul"], ["vault "], ["Vault"]]) {
      expect((await store.search(query, allowServices(services), 10)).runbooks, services.join()).toEqual([]);
    }
  });
});
