import { describe, expect, it } from "vitest";

import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { loadRunbooks } from "../../src/indexing/load-runbooks.ts";
import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const policy = parseAccessFile(
  `services:
  all: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`,
  "access.yaml",
);

async function adviceOn(files: Record<string, string>) {
  const directory = temporaryDirectory();
  writeFiles(directory, files);
  return (await loadRunbooks(directory, policy)).advice;
}

describe("advice on good runbooks", () => {
  it("names links that lead to nothing, with their line", async () => {
    const text =
      "# A\n\n1. See [b](sub/b%20c.md#x), [gone](gone.md), ![pic](pic.png).\n2. Not [x](https://x.test/gone.md), [y](#z), [r](/root.md), [m](mailto:a@b.test), c@d.test, <e@f.test>.\n\n[ref]: ../away.md\n";

    const advice = await adviceOn({ "a.md": text, "sub/b c.md": "# B\n\n1. Step.\n" });

    expect(advice.map(({ line, reason }) => [line, reason.split(",")[0]])).toEqual([
      [3, "links to gone.md"],
      [3, "links to pic.png"],
      [6, "links to ../away.md"],
    ]);
  });

  it("names a runbook without any step", async () => {
    expect(await adviceOn({ "a.md": "# A\n\nOnly prose.\n" })).toEqual([
      { path: "a.md", line: null, reason: expect.stringContaining("has no steps") },
    ]);
  });
});
