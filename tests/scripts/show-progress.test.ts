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
      line.show({ done, of: 2000, unit: "runbooks", worked: done * 10, workUnit: "texts" });
    },
  };
}

test("a terminal sees what is done, the rate and the time left", () => {
  const { at, written } = exampleLine(true);

  at(500, 1);
  at(60_000, 500);

  expect(written).toEqual(["\r\u001B[K500 of 2000 runbooks, 5000 texts, 83 texts a second, 3 min left"]);
});

test("a log gets a line every ten seconds", () => {
  const { at, written } = exampleLine(false);

  for (let second = 1; second <= 30; second += 1) at(second * 1000, second);

  expect(written).toHaveLength(3);
  expect(written[2]).toBe("30 of 2000 runbooks, 300 texts, 10 texts a second, 33 min left\n");
});
