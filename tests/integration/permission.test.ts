import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { audienceFor, type Place, type Principal } from "../../src/access/audience.ts";
import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { toAnswerJson } from "../../src/answering/answer-json.ts";
import { createAnswering } from "../../src/create-answering.ts";
import type { AccessPolicy } from "../../src/access/access-policy.ts";
import { createFakeEmbeddingModel } from "../fakes/fake-embedding-model.ts";
import { createWorld } from "../fakes/temporary-world.ts";

const SERVICES = ["alpha", "alpha-extra", "beta", "gamma"];
const USERS = ["U0ANN", "U0BEN", "U0CAT"];
const CHANNELS = ["C0ONE", "C0TWO"];
const canary = (service: string) => `CANARY-${service.toUpperCase().replace("-", "Q")}X`;

const runbooks = Object.fromEntries(
  SERVICES.flatMap((service) =>
    [1, 2].map((number) => [
      `${service}/page-${number}.md`,
      `# Pool of ${service} ${number} ${canary(service)}\n\n## Checks\n\n1. Count the pool: \`${canary(service)} count\`.\n2. Restart the ${service} worker after errors.\n`,
    ]),
  ),
);

const someOf = (values: readonly string[]) => fc.subarray([...values]);
const worlds = fc.record({
  readers: fc.array(fc.subarray(["everyone", "group-a", "group-b", ...USERS]), { minLength: 4, maxLength: 4 }),
  groups: fc.tuple(someOf(USERS), someOf(USERS)),
  channels: fc.tuple(someOf(SERVICES), someOf(SERVICES)),
  caller: fc.option(
    fc.record({
      userId: fc.constantFrom(...USERS, "U0NOBODY"),
      standing: fc.constantFrom("member", "guest", "foreign", "unknown"),
    }),
  ),
  kind: fc.constantFrom("channel", "direct_message", "group_direct_message"),
  channelId: fc.constantFrom(...CHANNELS, "C0OTHER"),
  shared: fc.boolean(),
  others: fc.option(someOf(USERS)),
  text: fc.tuple(
    fc.constantFrom(
      "pool is full",
      "count the pool",
      "restart worker errors",
      ...SERVICES.map((name) => `${name} is down`),
    ),
    fc.constantFrom("", ...SERVICES.map(canary), ...SERVICES),
  ),
  thread: fc.array(fc.constantFrom(...SERVICES.map((name) => `${name} ${canary(name)} pool`)), { maxLength: 2 }),
});
type RandomWorld = typeof worlds extends fc.Arbitrary<infer T> ? T : never;

/** Nobody may see anything, and nobody asks. */
const CLOSED: RandomWorld = {
  readers: [[], [], [], []],
  groups: [[], []],
  channels: [[], []],
  caller: null,
  kind: "direct_message",
  channelId: "C0ONE",
  shared: false,
  others: null,
  text: ["", ""],
  thread: [],
};

function accessOf({ readers, groups, channels }: Pick<RandomWorld, "readers" | "groups" | "channels">): string {
  return JSON.stringify({
    services: Object.fromEntries(
      SERVICES.map((service, index) => [
        service,
        {
          aliases: [`the ${service}`],
          owner: `owner-${service}`,
          runbooks: [`${service}/*.md`],
          readers: readers[index],
        },
      ]),
    ),
    groups: {
      "group-a": { members: groups[0] },
      "group-b": { members: groups[1] },
      ...Object.fromEntries(SERVICES.map((service) => [`owner-${service}`, { members: [] }])),
      admins: { members: [] },
    },
    channels: { C0ONE: { services: channels[0] }, C0TWO: { services: channels[1] } },
    links: { url: "https://git.example.test/{path}#L{line}" },
    admins: ["admins"],
  });
}

function askerOf({ caller, kind, channelId, shared, others }: RandomWorld): { caller: Principal | null; place: Place } {
  const principal = (userId: string, standing: Principal["standing"]): Principal => ({
    userId,
    standing,
    usergroups: new Set(),
  });
  return {
    caller: caller === null ? null : principal(caller.userId, caller.standing),
    place: {
      channelId,
      kind,
      shared,
      members: others === null ? null : others.map((userId) => principal(userId, "member")),
    },
  };
}

async function indexedPool(files: Readonly<Record<string, string>> = runbooks) {
  const embeddingModel = await createFakeEmbeddingModel();
  const access = accessOf(CLOSED);
  const world = await createWorld({ runbooks: files, access, embeddingModel });
  const { store } = world;
  await world.index();
  return (policy: AccessPolicy) =>
    createAnswering({ policy: () => policy, store, embeddingModel, chat: null, modelBudgetMs: 8000 });
}

/** What leaves the bot, without what the asker said and without times. */
async function answerAs(answering: ReturnType<typeof createAnswering>, policy: AccessPolicy, world: RandomWorld) {
  const { caller, place } = askerOf(world);
  const audience = audienceFor(policy, caller, place);
  const answer = await answering({ text: world.text.join(" "), thread: world.thread }, audience);
  const json = toAnswerJson(null, answer, policy.linkTemplate);
  const { timings_ms: _times, query: _query, classification, ...shown } = json;
  return { audience, shown, service: classification.service };
}

describe("permission", () => {
  it("lets no byte of a service out that the readers may not see", { timeout: 120_000 }, async () => {
    const answeringFor = await indexedPool();
    let answered = 0;
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const policy = parseAccessFile(accessOf(world), "access.yaml");
        const { audience, shown, service } = await answerAs(answeringFor(policy), policy, world);
        const { caller_only: alone, ...forAll } = shown;
        if (shown.outcome === "answered") answered += 1;
        if (service !== null) expect(audience.shared.has(service)).toBe(true);
        for (const name of SERVICES) {
          const marks = [canary(name), `"${name}"`, `${name}/page`, `owner-${name}"`];
          for (const mark of marks) {
            if (!audience.shared.has(name)) expect(JSON.stringify(forAll)).not.toContain(mark);
            if (!audience.caller.has(name)) expect(JSON.stringify(alone)).not.toContain(mark);
          }
        }
      }),
      { numRuns: 400 },
    );
    expect(answered).toBeGreaterThan(50);
  });

  it("answers the same bytes whether a hidden runbook exists or not", { timeout: 120_000 }, async () => {
    const withHidden = await indexedPool();
    const without = await indexedPool(
      Object.fromEntries(Object.entries(runbooks).filter(([path]) => !/^(?:beta|alpha-extra)\//.test(path))),
    );
    await fc.assert(
      fc.asyncProperty(worlds, async (world) => {
        const readers = world.readers.map((list, index) => (index === 1 || index === 2 ? [] : list));
        const channels = world.channels.map((list) => list.filter((name) => name === "alpha" || name === "gamma"));
        const closed = { ...world, readers, channels: channels as [string[], string[]] };
        const policy = parseAccessFile(accessOf(closed), "access.yaml");

        const hidden = await answerAs(withHidden(policy), policy, closed);
        const absent = await answerAs(without(policy), policy, closed);

        expect(JSON.stringify(hidden.shown)).toBe(JSON.stringify(absent.shown));
      }),
      { numRuns: 200 },
    );
  });

  it("answers nothing and raises the alarm when the store's filter fails", async () => {
    const embeddingModel = await createFakeEmbeddingModel();
    const world = await createWorld({
      runbooks,
      access: accessOf({ ...CLOSED, readers: SERVICES.map(() => ["U0ANN"]) }),
      embeddingModel,
    });
    await world.index();
    const all = audienceFor(
      world.policy,
      { userId: "U0ANN", standing: "member", usergroups: new Set() },
      { channelId: null, kind: "direct_message", shared: false, members: null },
    );
    const broken = {
      ...world.store,
      search: (...[query, , limit]: Parameters<typeof world.store.search>) =>
        world.store.search(query, all.shared, limit),
    };
    const closed = parseAccessFile(accessOf({ ...CLOSED, readers: [["U0ANN"], [], [], []] }), "access.yaml");
    const answering = createAnswering({
      policy: () => closed,
      store: broken,
      embeddingModel,
      chat: null,
      modelBudgetMs: 8000,
    });

    const asked = answerAs(answering, closed, {
      ...CLOSED,
      caller: { userId: "U0ANN", standing: "member" },
      text: ["beta pool is full", ""],
    });

    await expect(asked).rejects.toMatchObject({ kind: "permission", context: { alarm: "permission_leak" } });
  });
});
