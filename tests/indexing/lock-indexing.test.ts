import { existsSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { lockIndexing } from "../../src/indexing/lock-indexing.ts";
import { temporaryDirectory } from "../fakes/temporary-world.ts";

const since = "2026-01-01T00:00:00.000Z";

describe("the lock of the reindexer", () => {
  it("lets one in, names it to the next, and is free again afterwards", () => {
    const directory = temporaryDirectory();
    const unlock = lockIndexing(directory);

    expect(() => lockIndexing(directory)).toThrow(`process ${process.pid} on ${hostname()}`);
    unlock();
    lockIndexing(directory)();

    expect(existsSync(join(directory, "reindex.lock"))).toBe(false);
  });

  it.each([
    ["of a process that is no more", JSON.stringify({ pid: 2 ** 22 - 3, host: hostname(), since })],
    ["that was cut off while it was written", '{"pid": 12'],
    ["that is empty", ""],
  ])("takes over a lock %s", (_name, content) => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "reindex.lock"), content);

    expect(() => lockIndexing(directory)()).not.toThrow();
  });

  it("respects the lock of another machine, whose processes it can't see", () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "reindex.lock"), JSON.stringify({ pid: 1, host: "elsewhere", since }));

    expect(() => lockIndexing(directory)).toThrow("on elsewhere");
  });
});
