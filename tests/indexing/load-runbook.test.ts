import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { parseAccessFile, readAccessFile } from "../../src/access/read-access-file.ts";
import { loadRunbooks } from "../../src/indexing/load-runbooks.ts";
import { temporaryDirectory, writeFiles } from "../fakes/temporary-world.ts";

const policy = parseAccessFile(
  `services:
  payments: { aliases: [ledger], owner: core, runbooks: ["**/*.{md,MD}"], readers: [core] }
  identity: { owner: core, runbooks: ["nowhere/*"], readers: [core] }
groups:
  core: { members: [U0DAN] }
`,
  "access.yaml",
);

async function load(files: Readonly<Record<string, string | Uint8Array>>) {
  const directory = temporaryDirectory();
  writeFiles(directory, files);
  return loadRunbooks(directory, policy);
}

async function loadOne(content: string | Uint8Array, path = "one.md") {
  const { runbooks, failures, warnings, leftOut } = await load({ [path]: content });
  return { runbook: runbooks[0], failure: failures[0], warnings, leftOut };
}

const utf16 = (text: string, bigEndian = false) => {
  const bytes = Buffer.from(`\u{FEFF}${text}`, "utf16le");
  return bigEndian ? bytes.swap16() : bytes;
};

describe("loading runbooks", () => {
  it.each([
    ["the first H1", "# One\n\n# Two\n", "One"],
    ["a Setext heading", "Orders stuck\n============\n\ntext\n", "Orders stuck"],
    ["an H1 below front matter", "---\ntitle: Other\n---\n# One\n", "One"],
    ["the front-matter title without an H1", "---\ntitle: From front matter\n---\ntext\n", "From front matter"],
    ["the front-matter title where the H1 is a template tag", "---\ntitle: Real\n---\n# <%= title %>\n", "Real"],
    ["a TOML title", '+++\ntitle = "From TOML"\n+++\ntext\n', "From TOML"],
    ["the H1 outside a comment", "<!--\n# Hidden\n-->\n\n# Shown\n", "Shown"],
    ["the file's name where the only H1 is in code", "```sh\n# not me\n```\n", "one"],
  ])("takes %s for the title", async (_name, content, title) => {
    expect((await loadOne(content)).runbook?.title).toBe(title);
  });

  it("warns when the file's name must serve as title", async () => {
    expect((await loadOne("text only\n")).warnings[0]?.reason).toContain("has no title");
  });

  it.each([
    ["a byte order mark", Buffer.from("\u{FEFF}# Título\n")],
    ["UTF-16, little endian", utf16("# Título\n")],
    ["UTF-16, big endian", utf16("# Título\n", true)],
  ])("decodes %s", async (_name, content) => {
    expect((await loadOne(content)).runbook?.title).toBe("Título");
  });

  it.each([
    ["an empty file", "", /empty/],
    ["blank lines only", "\n \r\n", /empty/],
    ["Latin-1", Buffer.from("# Caf\xe9\n", "latin1"), /not UTF-8/],
    ["UTF-16 without a mark", Buffer.from("# Title\n", "utf16le"), /UTF-16 without/],
    ["binary data", Buffer.from([0x23, 0x20, 0, 0x41, 0x42, 0x43]), /binary/],
    ["front matter that is not closed", "---\ntitle: x\n\n1. step\n", /not closed/],
    ["front matter that can't be read", "---\ntitle: [a\nb: c\n---\ntext\n", /YAML/],
    ["TOML that can't be read", "+++\ntitle = \n+++\ntext\n", /TOML/],
    ["a header naming another service", "# T\nService: identity\nOwner: core\n", /says service identity/],
    ["front matter naming another service", "---\nservice: identity\n---\n# T\n", /says service identity/],
  ])("refuses %s by name", async (_name, content, reason) => {
    expect((await loadOne(content)).failure?.reason).toMatch(reason);
  });

  it("gives the line of a bad header", async () => {
    expect((await loadOne("---\ntitle: a\nservice: identity\n---\n# T\n")).failure?.line).toBe(3);
    expect((await loadOne("# T\n\nOwner: core\nService: identity\n")).failure?.line).toBe(4);
  });

  it("takes a header that agrees, and warns of an unknown service", async () => {
    expect((await loadOne("# T\nService: payments\nOwner: core\n")).runbook).toMatchObject({ owner: "core" });
    expect((await loadOne("# T\nService: ledger\n")).warnings).toEqual([]);
    expect((await loadOne("# T\nService: unheard-of\n")).warnings[0]?.reason).toContain("does not know");
  });

  it("takes the last of two front-matter keys, and warns", async () => {
    const { runbook, warnings } = await loadOne("---\ntitle: a\ntitle: b\n---\ntext\n");

    expect(runbook?.title).toBe("b");
    expect(warnings).toEqual([{ path: "one.md", line: 3, reason: expect.stringContaining("title twice") }]);
  });

  it("takes two rules around text for text, not for front matter", async () => {
    expect((await loadOne("---\njust text\n---\n# T\n")).runbook?.title).toBe("T");
  });

  it("leaves drafts and archived runbooks out and counts them", async () => {
    const { runbooks, leftOut } = await load({
      "good.md": "# Good\n",
      "draft.md": "---\ndraft: true\n---\n# D\n",
      "old.md": "---\nstatus: Deprecated\n---\n# O\n",
    });

    expect(runbooks.map(({ sourceId }) => sourceId)).toEqual(["good"]);
    expect(leftOut).toEqual([
      { path: "draft.md", reason: "draft" },
      { path: "old.md", reason: "deprecated" },
    ]);
  });

  it("warns of a fence that is never closed, with its line", async () => {
    expect((await loadOne("# T\n\ntext\n\n```sh\nlast\n")).warnings[0]).toMatchObject({ line: 5 });
  });

  it("lists names byte for byte, in sub-folders too, and no hidden files", async () => {
    const { runbooks } = await load({
      "a b #1.md": "# A\n",
      "deep/folder.md/inside.md": "# B\n",
      "UPPER.MD": "# C\n",
      ".draft.md": "# D\n",
      ".git/x.md": "# E\n",
      "notes.txt": "no",
    });

    expect(runbooks.map(({ sourceId }) => sourceId)).toEqual(["UPPER", "a b #1", "deep/folder.md/inside"]);
  });

  it("refuses both of two files with one source_id", async () => {
    const { runbooks, failures } = await load({
      "caf\u{E9}.md": "# A\n",
      "cafe\u{301}.md": "# B\n",
      "x.md": "# C\n",
      "x.MD": "# D\n",
    });

    expect(runbooks).toEqual([]);
    expect(failures.map(({ reason }) => reason)).toHaveLength(4);
    expect(failures[0]?.reason).toContain("same source_id");
  });

  it("refuses links to outside and to nothing, and does not walk loops", async () => {
    const directory = temporaryDirectory();
    const outside = temporaryDirectory();
    writeFiles(outside, { "secret.md": "# Secret\n" });
    writeFiles(directory, { "good.md": "# Good\n" });
    mkdirSync(join(directory, "links"));
    symlinkSync(join(outside, "secret.md"), join(directory, "links/outside.md"));
    symlinkSync("nowhere.md", join(directory, "links/gone.md"));
    symlinkSync("..", join(directory, "links/loop"));
    symlinkSync(outside, join(directory, "links/folder.md"));

    const { runbooks, failures } = await loadRunbooks(directory, policy);

    expect(runbooks.map(({ title }) => title)).toEqual(["Good"]);
    expect(failures.map(({ path, reason }) => [path, reason.split(";")[0]])).toEqual([
      ["links/folder.md", "the link leads outside RUNBOOKS_DIR"],
      ["links/gone.md", "the link leads to nothing that can be read (missing, or a loop)"],
      ["links/outside.md", "the link leads outside RUNBOOKS_DIR"],
    ]);
  });

  it("takes a directory without runbooks for a mistake", async () => {
    await expect(load({ "notes.txt": "no" })).rejects.toThrow(/no runbooks/);
    await expect(loadRunbooks("/nowhere/at/all", policy)).rejects.toThrow(/RUNBOOKS_DIR/);
  });

  it("names a file that matches no service or several", async () => {
    const two = parseAccessFile(
      `services:
  a: { owner: g, runbooks: ["x*.md"], readers: [g] }
  b: { owner: g, runbooks: ["*y.md"], readers: [g] }
groups: { g: { members: [U0DAN] } }
`,
      "access.yaml",
    );
    const directory = temporaryDirectory();
    writeFiles(directory, { "xy.md": "# T\n", "z.md": "# T\n", "x.md": "# T\n" });

    const { failures } = await loadRunbooks(directory, two);

    expect(failures.map(({ path }) => path)).toEqual(["xy.md", "z.md"]);
    expect(failures[0]?.reason).toContain("several services (a, b)");
    expect(failures[1]?.reason).toContain("no service");
  });
});

const CASES = join(import.meta.dirname, "../../../shared/cases/runbooks");

describe.runIf(existsSync(CASES))("the awkward files beside this repository", () => {
  it("give what their expected.json says", async () => {
    const expected = (await import(join(CASES, "expected.json"), { with: { type: "json" } })) as {
      default: {
        ok: { path: string; title: string; service: string; made?: boolean; also_accepted?: string[] }[];
        failures: { path: string; reason_contains: string[]; made?: boolean; also_accepted?: string[] }[];
      };
    };
    const { runbooks, failures, leftOut } = await loadRunbooks(CASES, readAccessFile(join(CASES, "access.yaml")));
    const found = new Map(runbooks.map((runbook) => [runbook.path, runbook]));

    for (const { path, title, service } of expected.default.ok.filter(({ made }) => made !== true)) {
      if (leftOut.some((file) => file.path === path)) continue;
      expect(found.get(path), path).toMatchObject({ title, service });
    }
    const failed = failures.map(({ path }) => path);
    const mustFail = expected.default.failures.filter(({ made }) => made !== true);
    expect(mustFail.filter(({ path }) => !failed.includes(path) && !found.has(path))).toEqual([]);
    expect(failed.filter((path) => !mustFail.some((failure) => failure.path === path))).toEqual([]);
  });
});
