import { expect, test } from "vitest";

import { splitQuestion } from "../../src/answering/split-question.ts";

test.each([
  ["checkout is down since 14:05, connection refused", []],
  ["is the pool exhausted? the app seems happy otherwise", []],
  ["how do i drain node 7, and then?", []],
  [
    "how do i drain node 7, and which graph shows the moved pods?",
    ["how do i drain node 7", "which graph shows the moved pods"],
  ],
  [
    "the card provider is down. how do i switch providers? who tells the merchants?",
    ["how do i switch providers", "who tells the merchants"],
  ],
  ["error: a; b; c (Code: 400; Request: 7)", []],
])("%j asks %j", (words, parts) => {
  expect(splitQuestion(words)).toEqual(parts);
});
