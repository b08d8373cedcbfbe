import { describe, expect, it } from "vitest";

import type { IncidentMessage } from "../../src/domain.ts";
import { createBotWorld, PEOPLE } from "../fakes/bot-world.ts";
import type { SlackMessageRecord } from "../fakes/slack/slack-world.ts";

const { alice, bob } = PEOPLE;

/** A bot whose pipeline notes what it is asked. */
async function createListeningBot() {
  const heard: IncidentMessage[] = [];
  const { slack } = await createBotWorld({
    transport: "socket",
    around: (answer) => (message, audience) => {
      heard.push(message);
      return answer(message, audience);
    },
  });
  const write = (fields: Partial<SlackMessageRecord> & { ts: string; text: string }) =>
    (slack.messages as SlackMessageRecord[]).push({ channel: "C0RANDOM", user: bob, ...fields });
  return { slack, heard, write };
}

describe("the thread of a question", () => {
  it("gives its beginning and what people said last, without the bots' words and the question itself", async () => {
    const { slack, heard, write } = await createListeningBot();
    const thread_ts = "1700000000.000000";
    write({ ts: thread_ts, text: "status page is down" });
    write({ ts: "1700000001.000000", thread_ts, text: "first" });
    write({ ts: "1700000002.000000", thread_ts, text: "second" });
    write({ ts: "1700000003.000000", thread_ts, text: "noise", user: "U0OTHER", bot_id: "B0OTHER" });
    write({ ts: "1700000004.000000", thread_ts, text: "my own words", user: "U0RUNBOT", bot_id: "B0RUNBOT" });
    write({ ts: "1700000005.000000", thread_ts, text: "third" });

    await slack.say(alice, "C0RANDOM", "<@U0RUNBOT> and now?", { threadTs: thread_ts });
    await slack.waitFor(() => heard.length > 0);

    expect(heard[0]).toMatchObject({ text: "and now?", thread: ["status page is down", "second", "third"] });
  });

  it("is read to its end when it has 700 messages, in one call", async () => {
    const { slack, heard, write } = await createListeningBot();
    const thread_ts = "1700000000.000000";
    write({ ts: thread_ts, text: "status page is down" });
    for (let number = 1; number < 700; number += 1) {
      write({ ts: `${1700000000 + number}.000000`, thread_ts, text: `message ${number}` });
    }

    await slack.say(alice, "C0RANDOM", "<@U0RUNBOT> and now?", { threadTs: thread_ts });
    await slack.waitFor(() => heard.length > 0);

    expect(heard[0]?.thread).toEqual(["status page is down", "message 698", "message 699"]);
    expect(slack.calls.filter(({ method }) => method === "conversations.replies")).toHaveLength(1);
  });

  it("is no obstacle when it can't be read", async () => {
    const { slack, heard } = await createListeningBot();
    slack.fault("conversations.replies", { kind: "error", error: "missing_scope" });

    await slack.say(alice, "C0RANDOM", "<@U0RUNBOT> status page is down", { threadTs: "1700000000.000000" });
    await slack.waitFor(() => slack.posted.length > 0);

    expect(heard[0]?.thread).toEqual([]);
  });
});
