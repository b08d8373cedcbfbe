import { readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";

const ROOT = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

const Service = z.object({
  image: z.string().optional(),
  build: z.string().optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(z.string()).optional(),
  healthcheck: z.object({ test: z.array(z.string()), retries: z.number() }).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).optional(),
  restart: z.string().optional(),
});
const Compose = z.object({
  services: z.object({ qdrant: Service, reindex: Service, bot: Service }),
  volumes: z.record(z.string(), z.unknown()),
});

describe("docker-compose.yml", () => {
  const { services, volumes } = Compose.parse(parse(read("docker-compose.yml")));
  const { qdrant, reindex, bot } = services;

  it("runs the Qdrant that the client is made for, behind a key, on this machine only, with a volume", () => {
    const client = z.object({ dependencies: z.record(z.string(), z.string()) }).parse(JSON.parse(read("package.json")));
    const version = client.dependencies["@qdrant/js-client-rest"];

    expect(qdrant.image).toBe(`qdrant/qdrant:v${version}`);
    expect(qdrant.environment?.["QDRANT__SERVICE__API_KEY"]).toMatch(/^\$\{QDRANT_API_KEY:\?/);
    expect(qdrant.ports?.every((port) => port.startsWith("127.0.0.1:"))).toBe(true);
    expect(qdrant.volumes?.map((volume) => volume.split(":")[0])).toEqual(["qdrant"]);
    expect(Object.keys(volumes)).toContain("qdrant");
    expect(qdrant.healthcheck?.test.join(" ")).toContain("/readyz");
  });

  it("starts the bot when the index is there, and makes the index when Qdrant is healthy", () => {
    expect(reindex.depends_on).toEqual({ qdrant: { condition: "service_healthy" } });
    expect(reindex.command?.at(-1)).toBe("scripts/reindex.ts");
    expect(bot.depends_on).toEqual({ reindex: { condition: "service_completed_successfully" } });
    expect(bot.restart).toBe("unless-stopped");
    expect(bot.environment?.["QDRANT_URL"]).toBe("http://qdrant:6333");
  });
});

describe("the Dockerfile", () => {
  const lines = read("Dockerfile").split("\n");
  const stages = lines.filter((line) => line.startsWith("FROM "));

  it("builds in one stage and runs in another, as a user without rights, on the project's Node", () => {
    expect(stages).toHaveLength(2);
    expect(stages.every((stage) => /^FROM node:24-[a-z-]+(?: AS \w+)?$/.test(stage))).toBe(true);
    expect(lines.lastIndexOf("USER node")).toBeGreaterThan(lines.lastIndexOf(stages[1] ?? ""));
  });

  it("indexes the runbooks while it is built, into the directory that the bot reads", () => {
    const indexing = lines.find((line) => line.includes("scripts/reindex.ts")) ?? "";
    const directory = /DATA_DIR=(\S+)/.exec(indexing)?.[1];

    expect(directory).toBeDefined();
    expect(lines.indexOf(indexing)).toBeLessThan(lines.indexOf(stages[1] ?? ""));
    expect(lines.filter((line) => line.startsWith("ENV ")).join(" ")).toContain(`DATA_DIR=${directory}`);
  });

  it("is given everything that it copies", () => {
    const ignored = read(".dockerignore").split("\n").filter(Boolean);
    const copied = lines.flatMap((line) => /^COPY (?!--from)(.+) \S+$/.exec(line)?.[1]?.split(" ") ?? []);

    expect(copied.length).toBeGreaterThan(4);
    for (const path of copied) {
      expect(() => readFileSync(join(ROOT, path), { flag: "r" }), path).not.toThrow(/ENOENT/);
      expect(ignored).not.toContain(path);
    }
  });
});
