import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import { describe, expect, it } from "vitest";

const SOURCE = join(import.meta.dirname, "../src");

const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
  .map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path: relative(SOURCE, path), text: readFileSync(path, "utf8") };
  });
const filesWith = (pattern: RegExp) => files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
const outside = (paths: readonly string[], ...allowed: string[]) =>
  paths.filter((path) => !allowed.some((place) => path.startsWith(place)));

describe("the architecture", () => {
  it("lets only the access module decide who may see what", () => {
    expect(outside(filesWith(/\ballowServices\(/), "access/")).toEqual([]);
    expect(outside(filesWith(/as unknown as AllowedServices/), "access/allowed-services.ts")).toEqual([]);
  });

  it("lets only the retriever make passages, and only the citation check make grounded recommendations", () => {
    expect(filesWith(/as unknown as Passage\b/)).toEqual(["answering/retrieve-passages.ts"]);
    expect(filesWith(/as unknown as GroundedRecommendation\b/)).toEqual(["answering/check-citations.ts"]);
  });

  it("takes the allowed services as a required argument of every look-up in a store", () => {
    const port = files.find(({ path }) => path === "store/passage-store.ts")?.text ?? "";
    for (const method of ["search", "findRunbooks", "chunksOf"]) {
      expect(port).toMatch(new RegExp(String.raw`${method}\([^)]*allowedServices: AllowedServices`));
    }
    expect(
      filesWith(/allowedServices\?\s*:|allowedServices: AllowedServices \| (?:null|undefined)|allowedServices = /),
    ).toEqual([]);
  });

  it("keeps Slack, the stores and the environment in their places", () => {
    expect(outside(filesWith(/from "@slack\//), "slack/")).toEqual([]);
    expect(outside(filesWith(/from "(?:node:sqlite|sqlite-vec|@qdrant\/[^"]+)"/), "store/")).toEqual([]);
    expect(outside(filesWith(/process\.env/), "main.ts")).toEqual([]);
    expect(outside(filesWith(/\bnew (?:ChatOpenAI\w*|OpenAIEmbeddings)\(/), "models/")).toEqual([]);
  });

  it("has one place that posts, and one store for answers, behind today's access file", () => {
    expect(filesWith(/\.chat\.\w+\(/)).toEqual(["slack/post-message.ts"]);
    expect(filesWith(/createRetriever\(\{ store: hideMovedRunbooks\(store, policy\)/)).toEqual(["create-answering.ts"]);
    expect(filesWith(/\b(?:audit|options)\.record\(/).toSorted()).toEqual([
      "slack/answer-question.ts",
      "slack/shown.ts",
    ]);
  });

  it("never lists runbooks for an answer", () => {
    expect(outside(filesWith(/\.listRunbooks\(/), "indexing/", "store/")).toEqual([]);
  });

  it("keeps the two stories short and every file readable", () => {
    const lines = (path: string) => files.find((file) => file.path === path)?.text.split("\n").length ?? 0;
    const all = files.map(({ text }) => text.split("\n").length).toSorted((left, right) => left - right);

    expect(lines("indexing/index-runbooks.ts")).toBeLessThanOrEqual(60);
    expect(lines("answering/answer-incident.ts")).toBeLessThanOrEqual(60);
    expect(all[Math.floor(all.length / 2)]).toBeLessThanOrEqual(120);
    expect(all.at(-1)).toBeLessThanOrEqual(250);
  });
});
