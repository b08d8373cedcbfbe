import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { createQdrantPassageStore } from "../../src/store/qdrant-passage-store.ts";
import {
  exampleHeader,
  exampleQuery,
  exampleRunbook,
  streamRunbooks,
  type ExampleRunbook,
} from "../fakes/example-index.ts";
import type { QdrantRequest } from "../fakes/qdrant/handle-request.ts";
import { createQdrantStandIn, type QdrantStandIn } from "../fakes/qdrant/qdrant-stand-in.ts";

const collection = "runbooks";
const checkout = allowServices(["checkout-api"]);
const impatient = { reading: { attempts: 1 }, writing: { attempts: 1 } };

function open({ url }: QdrantStandIn, options = {}): PassageStore {
  return createQdrantPassageStore({ url, apiKey: null, collection }, options);
}

async function publish(store: PassageStore, kept: readonly string[], ...runbooks: ExampleRunbook[]) {
  const built = await Promise.all(runbooks.map((runbook) => exampleRunbook(runbook)));
  return store.publish(exampleHeader({ indexedAt: new Date().toISOString() }), new Set(kept), streamRunbooks(...built));
}

async function textsOf(store: PassageStore): Promise<string[]> {
  const { runbooks } = await store.search(await exampleQuery("connections"), checkout, 10);
  return runbooks.flatMap(({ chunks }) => chunks.map(({ chunk }) => chunk.text)).toSorted();
}

describe("publishing to Qdrant", () => {
  it("switches the alias in one call, keeps the version before, and removes older ones", async () => {
    const server = await createQdrantStandIn();
    const store = open(server);

    const versions = [];
    for (const section of ["one", "two", "three", "four"])
      versions.push(await publish(store, [], { sections: [section] }));

    const switches = server.requests.filter(({ path }) => path === "/collections/aliases");
    const names = versions.map(({ version }) => `${collection}_${version}`);
    expect(switches).toHaveLength(4);
    expect(JSON.parse(switches[3]?.body ?? "")).toEqual({
      actions: [
        { delete_alias: { alias_name: collection } },
        { create_alias: { collection_name: names[3], alias_name: collection } },
      ],
    });
    expect([...server.collections.keys()]).toEqual(names.slice(2));
  });

  it("refuses an index that lacks a point", async () => {
    const server = await createQdrantStandIn();
    const store = open(server);
    const first = await publish(store, [], {});
    server.faults.push({
      when: ({ path }) => path.endsWith("/count"),
      body: JSON.stringify({ result: { count: 3 }, status: "ok" }),
    });

    await expect(publish(store, [], { sections: ["a", "b", "c"] })).rejects.toMatchObject({ kind: "indexing" });

    expect((await store.currentIndex())?.version).toBe(first.version);
    expect(server.collections.size).toBe(1);
  });

  it("refuses to carry over what is not there any more", async () => {
    const server = await createQdrantStandIn();
    const store = open(server);
    await publish(store, [], {});

    await expect(publish(store, ["checkout-database", "gone"], {})).rejects.toMatchObject({ kind: "indexing" });
    await expect(publish(open(await createQdrantStandIn()), ["checkout-database"])).rejects.toMatchObject({
      kind: "indexing",
    });
  });

  it("leaves the old or the new index, whole, wherever the connection breaks; the next run cleans up", async () => {
    const server = await createQdrantStandIn();
    await publish(open(server), [], { sections: ["old connections"] }, { sourceId: "b", sections: ["old b"] });
    const sent = server.requests.length;
    await publish(open(server), ["b"], { sections: ["old connections"] });
    const needed = server.requests.length - sent;
    const before = await textsOf(open(server));

    for (let at = 0; at < needed; at += 1) {
      server.dieAfter(at);
      const outcome = await publish(open(server, impatient), ["b"], { sections: ["new connections", "new two"] }).catch(
        () => null,
      );
      server.revive();

      const found = await textsOf(open(server));
      const whole = ["## Section 1\n\nnew connections", "## Section 1\n\nold b", "## Section 2\n\nnew two"];
      expect([before, whole]).toContainEqual(found);
      if (outcome === null && found.length === 2) expect(found).toEqual(before);

      await publish(open(server), ["b"], { sections: ["old connections"] });
      expect(await textsOf(open(server))).toEqual(before);
      expect(server.collections.size).toBeLessThanOrEqual(2);
    }
    expect(needed).toBeGreaterThan(10);
  });

  it("does not remove what it published when only the answer got lost", async () => {
    const server = await createQdrantStandIn();
    await publish(open(server), [], { sections: ["old"] });
    server.faults.push({ when: ({ path }) => path === "/collections/aliases", connection: "lost" });

    await publish(open(server, impatient), [], { sections: ["new"] }).catch(() => undefined);

    expect(await textsOf(open(server))).toEqual(["## Section 1\n\nnew"]);
  });

  it("publishes although the answer to every request gets lost once", async () => {
    const server = await createQdrantStandIn();
    const quick = { reading: { longestPauseMs: 5 }, writing: { longestPauseMs: 5 } };
    const isFirst = (request: QdrantRequest) =>
      server.requests.filter(
        ({ method, path, body }) => method + path + body === request.method + request.path + request.body,
      ).length === 1;
    server.faults.push(...Array.from({ length: 60 }, () => ({ when: isFirst, connection: "lost" as const })));

    await publish(open(server, quick), [], {});

    expect(server.faults.length).toBeLessThanOrEqual(50);
    server.faults.length = 0;
    expect(await textsOf(open(server))).toHaveLength(2);
  });

  it("removes at once what a killed process left", async () => {
    const server = await createQdrantStandIn();
    await publish(open(server), [], { sections: ["old"] });
    const child = spawn(process.execPath, [fileURLToPath(new URL("publish-and-hang.ts", import.meta.url)), server.url]);
    while (
      !server.requests.some(
        ({ method, path }) => method === "PUT" && path.endsWith("/points") && server.collections.size === 2,
      )
    ) {
      await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
      expect(child.exitCode).toBeNull();
    }
    child.kill("SIGKILL");
    await once(child, "exit");
    const left = [...server.collections.keys()][1];

    expect(await textsOf(open(server))).toEqual(["## Section 1\n\nold"]);
    await publish(open(server), [], { sections: ["new"] });

    expect(server.collections.has(left ?? "")).toBe(false);
    expect(await textsOf(open(server))).toEqual(["## Section 1\n\nnew"]);
  });

  it("leaves alone what another machine may be building, and others' collections", async () => {
    const server = await createQdrantStandIn();
    const store = open(server);
    await publish(store, [], {});
    const [index] = server.collections.values();
    const stamp = (hoursAgo: number) =>
      new Date(Date.now() - hoursAgo * 3_600_000).toISOString().replace(/[-:]|\.\d+/g, "");
    const { Collection } = await import("../fakes/qdrant/collection.ts");
    const unfinished = new Collection((index as InstanceType<typeof Collection>).config);
    const theirs = [
      `runbooks_${stamp(1)}-abcdef-77-012345`,
      "runbooks_eu",
      "runbooks_notes",
      `other_${stamp(90)}-abcdef-77-012345`,
    ];
    const brokenOff = `runbooks_${stamp(48)}-abcdef-77-012345`;
    for (const name of [...theirs, brokenOff]) server.collections.set(name, unfinished);

    await publish(store, [], {});

    expect([...server.collections.keys()]).toEqual(expect.arrayContaining(theirs));
    expect(server.collections.has(brokenOff)).toBe(false);
  });

  it("goes on answering when two versions are published while it reads the one before", async () => {
    const server = await createQdrantStandIn();
    const [writer, reader] = [open(server), open(server)];
    await publish(writer, [], { sections: ["connections one"] });
    expect(await textsOf(reader)).toEqual(["## Section 1\n\nconnections one"]);

    await publish(writer, [], { sections: ["connections two"] });
    await publish(writer, [], { sections: ["connections three"] });

    expect(await textsOf(reader)).toEqual(["## Section 1\n\nconnections three"]);
  });
});
