import { describe, expect, it } from "vitest";

import { readMessage } from "../../src/answering/read-message.ts";

const read = async (text: string) => (await readMessage({ text, thread: [] })).text;

describe("reading a message", () => {
  it.each([
    ["<@U0BOT> checkout &gt; 4s &amp;lt; now", "checkout > 4s &lt; now"],
    ["<!here> <#C0X|general> look", "look"],
    ["<https://x.test/a?b=1&amp;c=2|panel> is red", "panel is red"],
    ["see <https://x.test/a>", "see https://x.test/a"],
    ["a\u0000b\u0007c\u{200B}d", "a b cd"],
    ["lone \uD800 surrogate", "lone   surrogate"],
  ])("decodes %j", async (text, expected) => {
    expect(await read(text)).toBe(expected);
  });

  it.each([
    ["password=correct-horse-42 fails", "correct-horse-42"],
    ["postgres://app:s3cr3t@db.example.test/x", "s3cr3t"],
    ["Authorization: Bearer abcdefghijklmnop.qrst", "abcdefghijklmnop.qrst"],
    [["token xox", "b-123456789012-abcdefghijkl"].join(""), "123456789012-abcdefghijkl"],
    ["key AKIAIOSFODNN7EXAMPLE leaked", "AKIAIOSFODNN7EXAMPLE"],
    ["mail jane.doe@example.com", "jane.doe"],
    ["from 203.0.113.77 again", "203.0.113.77"],
    ["from [2001:db8::7]:3306", "2001:db8::7"],
    ["card 4111 1111 1111 1111", "4111"],
    ["call +49 170 1234567", "1234567"],
  ])("masks what must not be read in %j", async (text, secret) => {
    expect(await read(text)).not.toContain(secret);
  });

  it.each([
    "version 1.2.3.4567 fails",
    "at 14:05:33 on 2026-12-01",
    "order 1234567890123456 is stuck",
    "std::vector",
    "5 of 20 pods",
  ])("leaves %j as it is", async (text) => {
    expect(await read(text)).toBe(text);
  });

  it("folds the lines of a pasted log and keeps its last word", async () => {
    const log = Array.from({ length: 400 }, (_, index) => `03:00:${index} WARN retry attempt=${index}`).join("\n");
    const text = await read(`log:\n${log}\ncircuit OPEN`);

    expect(text.split("\n")).toHaveLength(4);
    expect(text).toContain("circuit OPEN");
  });

  it("cuts a paste of 40,000 characters and keeps both ends", async () => {
    const words = Array.from({ length: 8000 }, (_, index) => `w${index}x`).join(" ");
    const text = await read(`begin ${words} end`);

    expect(text.length).toBeLessThanOrEqual(4001);
    expect(text).toMatch(/^begin[\s\S]*end$/);
  });

  it("keeps the last three turns of a thread", async () => {
    const { thread } = await readMessage({ text: "and now?", thread: ["1", "2", "3", "4"] });

    expect(thread).toEqual(["2", "3", "4"]);
  });
});
