import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { appIds, isFromApp, isFromPerson, MessageEvent } from "../../src/slack/incoming-question.ts";
import { readAlertState } from "../../src/slack/read-alert-state.ts";
import { readMessageText } from "../../src/slack/read-message-text.ts";

interface AlertCase {
  readonly event: unknown;
  readonly expect?: { readonly text_contains: string[]; readonly links: string[]; readonly state: string };
}

const CASES = ["alerts", "injected/alerts"]
  .map((folder) => join(import.meta.dirname, "../../../shared/cases", folder))
  .filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => [name, join(folder, name)] as const));

function read(event: unknown) {
  const message = MessageEvent.parse(event);
  const state = isFromPerson(message) ? "human" : isFromApp(message) ? readAlertState(message) : "dropped";
  return { ...readMessageText(message), state, apps: appIds(message) };
}

const app = (fields: object) => ({
  channel: "C0X",
  ts: "1.2",
  subtype: "bot_message",
  bot_id: "B0APP",
  text: "",
  ...fields,
});
const section = (text: string) => ({ type: "section", text: { type: "mrkdwn", text } });

describe("reading what comes in", () => {
  it.skipIf(CASES.length === 0).each(CASES)("reads %s as its author meant it", (_name, path) => {
    const { event, expect: expected } = JSON.parse(readFileSync(path, "utf8")) as AlertCase;

    const { text, links, state } = read(event);

    for (const piece of expected?.text_contains ?? ["PoolExhausted", "checkout-api"]) expect(text).toContain(piece);
    expect(links).toEqual(expect.arrayContaining(expected?.links ?? []));
    expect(state).toBe(expected?.state ?? "firing");
  });

  it("reads an alert that is all attachment, its fallback only when there is nothing else", () => {
    const title = "[FIRING:1] QueueGrows (billing)";

    expect(read(app({ attachments: [{ title, fallback: `${title} | <https://a.test>` }] })).text).toBe(title);
    expect(read(app({ attachments: [{ fallback: "QueueGrows &amp; more" }] })).text).toBe("QueueGrows & more");
  });

  it("reads nested blocks in an attachment when the message has an empty list of its own", () => {
    const blocks = [
      { type: "header", text: { type: "plain_text", text: "billing 5xx" } },
      { type: "section", fields: [{ type: "mrkdwn", text: "*Service:* <https://a.test/s?x=1&amp;y=2|billing>" }] },
      { type: "actions", elements: [{ type: "button", text: { type: "plain_text", text: "Acknowledge" } }] },
    ];

    const { text, links } = read(app({ blocks: [], attachments: [{ blocks }] }));

    expect(text).toBe("billing 5xx\n*Service:* billing");
    expect(links).toEqual(["https://a.test/s?x=1&y=2"]);
  });

  it("reads lists and links in rich text", () => {
    const item = (text: string) => ({ type: "rich_text_section", elements: [{ type: "text", text }] });
    const elements = [
      {
        type: "rich_text_section",
        elements: [
          { type: "text", text: "see " },
          { type: "link", url: "https://a.test", text: "graph" },
        ],
      },
      { type: "rich_text_list", style: "bullet", elements: [item("first"), item("second")] },
    ];

    const { text, links } = read(app({ blocks: [{ type: "rich_text", elements }] }));

    expect(text).toBe("see graph\nfirst\nsecond");
    expect(links).toEqual(["https://a.test"]);
  });

  it("says nothing twice: the same words come as text, with marks, and as blocks", () => {
    const blocks = [
      {
        type: "rich_text",
        elements: [{ type: "rich_text_section", elements: [{ type: "text", text: "pool is full" }] }],
      },
    ];

    expect(read({ channel: "C0X", ts: "1.2", user: "U0A", text: "*pool* is full", blocks }).text).toBe(
      "*pool* is full",
    );
  });

  it("decodes tokens first and the ampersand last", () => {
    expect(read(app({ text: "a &amp;lt; b &lt;!channel&gt; <https://a.test?x&amp;y|label>" })).text).toBe(
      "a &lt; b <!channel> label",
    );
  });

  it.each([
    ["[RESOLVED] QueueGrows", "resolved"],
    ["Resolved #12: QueueGrows", "resolved"],
    [":white_check_mark: *Recovered:* QueueGrows", "resolved"],
    ["billing: Resolved", "resolved"],
    ["[OK] QueueGrows", "resolved"],
    ["[FIRING:1] A\n[RESOLVED:1] B", "firing"],
    ["Ok is not what the health check says", "firing"],
    ["QueueGrows\nvalue 5\nok: 3 pods", "firing"],
    ["Resolver of billing times out", "firing"],
  ])("takes %j for %s", (text, state) => {
    expect(read(app({ text })).state).toBe(state);
  });

  it.each([
    ["an edit", { subtype: "message_changed", hidden: true }],
    ["a deletion", { subtype: "message_deleted" }],
    ["somebody who joins", { subtype: "channel_join", user: "U0A" }],
    ["a bot in a thread", { subtype: "bot_message", bot_id: "B0APP", thread_ts: "1.1" }],
    ["an edited mention", { user: "U0A", edited: { ts: "2" } }],
  ])("drops %s", (_name, fields) => {
    expect(read({ channel: "C0X", ts: "1.2", text: "pool is full", ...fields }).state).toBe("dropped");
  });

  it.each([undefined, "file_share", "thread_broadcast", "me_message"])("hears a person in a %s message", (subtype) => {
    expect(read({ channel: "C0X", ts: "1.2", user: "U0A", text: "pool", ...(subtype && { subtype }) }).state).toBe(
      "human",
    );
  });

  it("knows a modern app's post, which has a user and no subtype, by its app id", () => {
    const event = {
      channel: "C0X",
      ts: "1.2",
      user: "U0APP",
      bot_id: "B0APP",
      bot_profile: { app_id: "A0APP" },
      text: "x",
    };

    expect(read(event)).toMatchObject({ state: "firing", apps: ["A0APP", "B0APP"] });
  });

  it("survives blocks that make no sense", () => {
    expect(read(app({ blocks: [null, 7, { type: 3 }, section("pool is full")], attachments: "none" })).text).toBe(
      "pool is full",
    );
  });
});
