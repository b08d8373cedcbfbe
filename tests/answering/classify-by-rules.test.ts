import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Catalogue } from "../../src/access/access-policy.ts";
import { classifyByRules } from "../../src/answering/classify-by-rules.ts";
import { readMessage } from "../../src/answering/read-message.ts";

const catalogue: Catalogue = {
  glossary: new Map(),
  services: [
    ["checkout-api", ["checkout"]],
    ["payments", ["payment"]],
    ["identity", ["login", "sso"]],
    ["search", []],
    ["kubernetes", ["k8s"]],
    ["postgres", []],
  ].map(([name, aliases]) => ({ name: name as string, aliases: aliases as string[], owner: "core" })),
};

const classify = (text: string, thread: string[] = []) => classifyByRules({ text, thread }, catalogue);

describe("classification by rules", () => {
  it("reads the incident of a checkout that lost its database", () => {
    const text =
      'INC-2048 EU checkout requests fail after the 14:05 deployment, checkout-api logs show "database connection refused"';

    expect(classify(text)).toMatchObject({
      isIncident: true,
      ticketId: "INC-2048",
      category: "database",
      service: "checkout-api",
      evidence: ["database connection refused"],
    });
  });

  it.each([
    ["and for the replica?", ["checkout is slow"], "checkout-api", false],
    ["checkout is still slow", ["checkout is slow"], "checkout-api", false],
    ["something else: the search index lags", ["checkout is slow"], "search", true],
    ["the search index lags", [], "search", false],
  ])("of %j after %j is about %s; the topic changed: %s", (text, thread, service, changesTopic) => {
    expect(classify(text, thread)).toMatchObject({ service, changesTopic });
  });

  it.each([
    ["INC-2048 is red", "INC-2048"],
    ["inc2048 still red", "INC-2048"],
    ["#2048 webhook 401s", "#2048"],
    ["see PROJ-12, lag grows", "PROJ-12"],
    ["UTF-8 broken", null],
    ["SEV-2: checkout down", null],
    ["down in us-east-1", null],
    ["ERR-4012 on refunds", null],
    ["CVE-2024 exploited", null],
  ])("finds the ticket of %j: %j", (text, ticket) => {
    expect(classify(text).ticketId).toBe(ticket);
  });

  it.each([
    ["SEV-2: down", "SEV2"],
    ["sev1 !!!", "SEV1"],
    ["P3 slow", "SEV3"],
    ["severity: 4", "SEV4"],
    ["p99 > 4s", null],
    ["slow", null],
  ])("reads the severity of %j: %j", (text, severity) => {
    expect(classify(text).severity).toBe(severity);
  });

  it.each([
    ["chekout is down", "checkout-api"],
    ["paymnets time out", "payments"],
    ["service=search lag", "search"],
    ['{"level":"error","svc":"search","msg":"x"}', "search"],
    ["checkout-api-7c9d crashed", "checkout-api"],
    ["checkoutapi2 crashed", null],
    ["sternwarte is stuck", null],
  ])("finds the service of %j: %j", (text, service) => {
    expect(classify(text).service).toBe(service);
  });

  it("carries the thread's service over to a follow-up", () => {
    expect(classify("what about the pool limit?", ["checkout is down"]).service).toBe("checkout-api");
  });

  it("knows no service that is not in the readers' catalogue", () => {
    expect(
      classifyByRules({ text: "payments down", thread: [] }, { services: [], glossary: new Map() }).service,
    ).toBeNull();
  });

  it.each(["thanks!", "lunch?", "deploy done ✅", ":eyes:", "", "did you book the room?", "[RESOLVED] HighErrorRate"])(
    "takes %j for no incident",
    (text) => {
      expect(classify(text).isIncident).toBe(false);
    },
  );

  it("quotes evidence verbatim only", () => {
    const text = "search results empty, 40 min lag; panic: nil pointer";

    for (const piece of classify(text).evidence) expect(text).toContain(piece);
  });
});

const MESSAGES = join(import.meta.dirname, "../../../shared/cases/messages.jsonl");
interface Expected {
  is_incident: boolean;
  is_incident_also?: boolean[];
  ticket_id: string | null;
  ticket_also?: string[];
  service_hint: string | null;
  service_also?: (string | null)[];
  severity_hint: string | null;
  severity_also?: (string | null)[];
  evidence_contains: string[];
  must_redact: string[];
}

describe.runIf(existsSync(MESSAGES))("messages as people type them", () => {
  const lines = existsSync(MESSAGES) ? readFileSync(MESSAGES, "utf8").trim().split("\n") : [];
  const messages = lines.map((line) => JSON.parse(line) as { id: string; text: string; expect: Expected });

  it("are masked before anything reads them", async () => {
    for (const { id, text, expect: expected } of messages) {
      const read = await readMessage({ text, thread: [text] });
      const said = JSON.stringify([read, classifyByRules(read, catalogue)]);
      for (const secret of expected.must_redact) expect(said, id).not.toContain(secret);
    }
  });

  it("are read as their labels say, all but two in a hundred", async () => {
    const wrong: string[] = [];
    for (const { id, text, expect: expected } of messages) {
      const read = await readMessage({ text, thread: [] });
      const found = classifyByRules(read, catalogue);
      const evidence = [...found.evidence, found.summary].join("\n").toLowerCase();
      const right = [
        [expected.is_incident, ...(expected.is_incident_also ?? [])].includes(found.isIncident),
        [expected.ticket_id, ...(expected.ticket_also ?? [])].includes(found.ticketId),
        [expected.service_hint, ...(expected.service_also ?? [])].includes(found.service),
        [expected.severity_hint, ...(expected.severity_also ?? [])].includes(found.severity),
        expected.evidence_contains.every((piece) => evidence.includes(piece.toLowerCase())),
      ];
      if (right.includes(false)) wrong.push(id);
    }
    expect(wrong.length, wrong.join()).toBeLessThanOrEqual(Math.ceil(messages.length * 0.02));
  });
});
