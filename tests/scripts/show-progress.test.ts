import { expect, test } from "vitest";

import { createProgressLine } from "../../scripts/show-progress.ts";

function exampleLine(isTTY: boolean) {
  const written: string[] = [];
  let time = 0;
  const line = createProgressLine({ isTTY, write: (text) => written.push(text) }, () => time);
  return {
    written,
    at: (milliseconds: number, done: number) => {
      time = milliseconds;
      const work = { done: done * 10, known: 0, expected: 20_000, unit: "chunks" };
      line.show({ done, of: 2000, unit: "runbooks", work });
    },
  };
}

test("a terminal sees what is done, the rate and the time left", () => {
  const { at, written } = exampleLine(true);

  at(500, 1);
  at(60_000, 500);

  expect(written).toEqual(["\r\u001B[K500 of 2000 runbooks, 5000 chunks, 83 chunks a second, 3 min left"]);
});

test("a log gets a line every ten seconds", () => {
  const { at, written } = exampleLine(false);

  for (let second = 1; second <= 30; second += 1) at(second * 1000, second);

  expect(written).toHaveLength(3);
  expect(written[2]).toBe("30 of 2000 runbooks, 300 chunks, 10 chunks a second, 33 min left\n");
});

test("a run that goes on from a broken one judges the time by what it had to do itself", () => {
  const written: string[] = [];
  let time = 0;
  const line = createProgressLine({ write: (text) => written.push(text) }, () => time);

  time = 10_000;
  line.show({ done: 80, of: 100, unit: "runbooks", work: { done: 20, known: 800, expected: 1000, unit: "chunks" } });

  expect(written).toEqual(["80 of 100 runbooks, 820 chunks, 2.0 chunks a second, 90 s left\n"]);
});

test("without smaller steps the rate is that of the steps", () => {
  const written: string[] = [];
  let time = 0;
  const line = createProgressLine({ write: (text) => written.push(text) }, () => time);

  time = 20_000;
  line.show({ done: 100, of: null, unit: "questions" });
  time = 40_000;
  line.show({ done: 0, of: 200, unit: "questions" });

  expect(written).toEqual(["100 questions, 5.0 questions a second\n", "0 of 200 questions, 0.0 questions a second\n"]);
});
