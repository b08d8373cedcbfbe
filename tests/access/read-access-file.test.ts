import { describe, expect, it } from "vitest";

import { parseAccessFile, parseAccessSources } from "../../src/access/read-access-file.ts";
import { ConfigurationError } from "../../src/errors.ts";

const GOOD = `services:
  checkout-api:
    aliases: [checkout]
    owner: commerce
    runbooks: ["checkout-*.md"]
    readers: [oncall, U0ALICE]
  status:
    owner: commerce
    runbooks: ["status/**/*.md"]
    readers: [everyone]
groups:
  commerce: { members: [U0CAROL] }
  oncall: { slack_usergroup: S0123ABCD }
channels:
  C0INCIDENT: { services: [checkout-api], answer_alerts_from: [A0ALERTS, B0HOOK], watch: true }
links:
  url: "https://git.example.test/{path}#L{line}"
admins: [commerce]
glossary: { cart: [checkout, basket] }
`;

function problemsOf(source: string): readonly string[] {
  try {
    parseAccessFile(source, "access.yaml");
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

describe("the access file", () => {
  it("gives services, groups, channels, links, admins and glossary", () => {
    const policy = parseAccessFile(GOOD, "access.yaml");

    expect(policy.services.get("checkout-api")).toMatchObject({ aliases: ["checkout"], owner: "commerce" });
    expect(policy.groups.get("oncall")?.slackUsergroup).toBe("S0123ABCD");
    expect(policy.channels.get("C0INCIDENT")).toEqual({
      services: ["checkout-api"],
      answerAlertsFrom: ["A0ALERTS", "B0HOOK"],
      watch: true,
    });
    expect(policy.linkTemplate).toContain("{path}");
    expect(policy.admins).toEqual(["commerce"]);
    expect(policy.glossary.get("cart")).toEqual(["checkout", "basket"]);
  });

  it("lists every problem with its line, not only the first", () => {
    const problems = problemsOf(
      GOOD.replace('owner: commerce\n    runbooks: ["checkout', 'owner: nobody\n    runbooks: ["checkout').replace(
        "services: [checkout-api], answer",
        "services: [chekout], answer",
      ),
    );

    expect(problems).toHaveLength(2);
    expect(problems[0]).toMatch(/^access\.yaml:4: services\.checkout-api\.owner: nobody is no group/);
    expect(problems[1]).toMatch(/^access\.yaml:15: .*"chekout" is no service/);
  });

  it.each([
    ["an unknown key", GOOD.replace("admins:", "administrators:"), /administrators.*unknown key/],
    ["an empty reader", GOOD.replace("[oncall, U0ALICE]", '[""]'), /access\.yaml:6: .*"" is no group/],
    ["a blank reader", GOOD.replace("[oncall, U0ALICE]", '[" "]'), /" " is no group/],
    ["a star in a list", GOOD.replace("[oncall, U0ALICE]", '["*"]'), /only the word everyone/],
    ["a star for a list", GOOD.replace("[oncall, U0ALICE]", '"*"'), /readers.*array/],
    ["missing readers", GOOD.replace("    readers: [oncall, U0ALICE]\n", ""), /checkout-api.readers/],
    ["readers of nothing", GOOD.replace("[oncall, U0ALICE]", "null"), /readers.*array/],
    ["a twin in capitals", GOOD.replace("  status:", "  Checkout-API:"), /differs from checkout-api in case/],
    ["an invisible letter", GOOD.replace("  status:", '  "status\\u200b":'), /must be a name/],
    ["a group called everyone", GOOD.replace("  oncall:", "  everyone:"), /this name is taken/],
    ["a channel name for an id", GOOD.replace("C0INCIDENT:", "incidents:"), /Slack channel id/],
    ["a link without a path", GOOD.replace("{path}", ""), /must contain \{path\}/],
    ["a link that is none", GOOD.replace("https://git", "javascript:alert"), /http\(s\) address/],
    ["an admin who is no group", GOOD.replace("admins: [commerce]", "admins: [U0CAROL]"), /no group of this file/],
    ["a key given twice", GOOD.replace("admins:", "links: {}\nadmins:"), /access\.yaml:18: duplicated mapping key/],
    ["no YAML", "services: [", /access\.yaml:\d+/],
    ["an empty file", "", /services|expected/i],
  ])("refuses %s", (_name, source, expected) => {
    const problems = problemsOf(source);

    expect(problems.join("\n")).toMatch(expected);
  });

  it("merges its parts, each name with its file and line", () => {
    const part = `services:\n  search: { owner: commerce, runbooks: ["s/*.md"], readers: [finders] }\ngroups:\n  finders: { members: [U0DAN] }\n`;
    const policy = parseAccessSources([
      { path: "access.yaml", text: GOOD },
      { path: "access.d/search.yaml", text: part },
    ]);

    expect([...policy.services.keys()]).toEqual(["checkout-api", "status", "search"]);
    expect(policy.locate(["services", "search", "readers", 0])).toEqual({ path: "access.d/search.yaml", line: 2 });
    expect(policy.locate(["services", "status", "readers", 0])).toEqual({ path: "access.yaml", line: 10 });
    expect(policy.version).not.toBe(parseAccessFile(GOOD, "access.yaml").version);
  });

  it.each([
    [
      "a service",
      "services:\n  status: { owner: commerce, runbooks: [x], readers: [everyone] }",
      /^b\.yaml:2: services\.status: stands in a\.yaml:8/,
    ],
    ["the admins", "admins: [oncall]", /^b\.yaml:1: admins: stands in a\.yaml:\d+ already/],
    ["a section that is none", "services: [everyone]", /b\.yaml:1: services/],
    ["an unknown key", "everyone: true", /b\.yaml:1: everyone: unknown key/],
    ["no YAML", "services: [", /^b\.yaml:1: /],
    ["a list", "- everyone", /b\.yaml/],
  ])("refuses parts that give %s twice or wrongly, naming the file", (_what, text, expected) => {
    const parts = [
      { path: "a.yaml", text: GOOD },
      { path: "b.yaml", text },
    ];

    expect(() => parseAccessSources(parts)).toThrow(expected);
  });

  it("takes an empty list of readers for nobody", () => {
    const policy = parseAccessFile(GOOD.replace("[oncall, U0ALICE]", "[]"), "access.yaml");

    expect([...policy.servicesByReader.values()].flatMap((services) => [...services])).toEqual(["status"]);
  });
});
