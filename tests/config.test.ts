import { describe, expect, it } from "vitest";

import { assertSlackConfigured, readConfig } from "../src/config.ts";
import { ConfigurationError } from "../src/errors.ts";

function problemsOf(work: () => unknown): readonly string[] {
  try {
    work();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe("the configuration", () => {
  it("has defaults that need no account", () => {
    expect(readConfig({})).toMatchObject({
      slack: { apiUrl: "https://slack.com/api/", port: 3000, botToken: null },
      models: { chatModel: null, embeddingModel: null, timeoutMs: 8000 },
      qdrant: null,
      runbooksDir: "runbooks",
      accessFile: "access.yaml",
      dataDir: ".data",
    });
  });

  it("takes an empty variable for one that is not set", () => {
    expect(readConfig({ CHAT_MODEL: "", QDRANT_URL: " ", PORT: "" })).toEqual(readConfig({}));
  });

  it("ends the Slack address with a slash, which Slack's client needs", () => {
    expect(readConfig({ SLACK_API_URL: "http://127.0.0.1:8080/api" }).slack.apiUrl).toBe("http://127.0.0.1:8080/api/");
  });

  it("hands a cluster's settings on only where they are given", () => {
    expect(readConfig({ QDRANT_URL: "http://q:6333", QDRANT_REPLICATION_FACTOR: "2" })).toMatchObject({
      qdrant: { url: "http://q:6333", collection: "runbooks" },
      qdrantCluster: { replicationFactor: 2 },
    });
    expect(readConfig({}).qdrantCluster).toEqual({});
  });

  it("lists every bad variable at once, and never its value", () => {
    const problems = problemsOf(() =>
      readConfig({ PORT: "http", QDRANT_URL: "localhost", LOG_LEVEL: "loud", OPENAI_BASE_URL: "secret-value" }),
    );

    expect(problems.map((problem) => problem.split(":")[0])).toEqual([
      "PORT",
      "OPENAI_BASE_URL",
      "QDRANT_URL",
      "LOG_LEVEL",
    ]);
    expect(problems.join()).not.toContain("secret-value");
  });

  it("wants a provider for a model", () => {
    expect(problemsOf(() => readConfig({ CHAT_MODEL: "m", EMBEDDING_MODEL: "e" }))).toHaveLength(2);
    expect(readConfig({ CHAT_MODEL: "m", OPENAI_BASE_URL: "http://127.0.0.1:1/v1" }).models.chatModel).toBe("m");
  });

  it("names what Slack needs", () => {
    expect(problemsOf(() => assertSlackConfigured(readConfig({})))).toHaveLength(2);
    expect(
      problemsOf(() => assertSlackConfigured(readConfig({ SLACK_BOT_TOKEN: "b", SLACK_SIGNING_SECRET: "s" }))),
    ).toEqual([]);
  });
});
