import { rmSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { readIndexStatus } from "../../src/indexing/read-index-status.ts";
import { createWorld, writeFiles } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["checkout/*.md"], readers: [core] }
  payments: { owner: core, runbooks: ["payments/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;

describe("the status of the index", () => {
  it("says what is indexed, and what has changed, gone and come since", async () => {
    const world = await createWorld({
      runbooks: {
        "checkout/a.md": "# A\n\ntext\n",
        "checkout/b.md": "# B\n\ntext\n",
        "payments/c.md": "# C\n\ntext\n",
        "payments/draft.md": "---\ndraft: true\n---\n# D\n",
      },
      access: ACCESS,
    });
    await world.index();
    writeFiles(world.runbooksDir, { "checkout/a.md": "# A\n\nother text\n", "payments/new.md": "# New\n" });
    rmSync(join(world.runbooksDir, "checkout/b.md"));

    const status = await readIndexStatus(world.store, world.runbooksDir);

    expect(status).toMatchObject({ stale: ["checkout/a.md"], gone: ["checkout/b.md"], missing: ["payments/new.md"] });
    expect([...status.services]).toEqual([
      ["checkout", 2],
      ["payments", 1],
    ]);
    expect(status.index).toMatchObject({ documents: 3, leftOut: [{ path: "payments/draft.md", reason: "draft" }] });
  });

  it("names the command when there is none", async () => {
    const world = await createWorld({ runbooks: {}, access: ACCESS });

    await expect(readIndexStatus(world.store, world.runbooksDir)).rejects.toThrow("npm run reindex");
  });
});
