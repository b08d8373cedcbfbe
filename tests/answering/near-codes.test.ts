import { expect, test } from "vitest";

import { holdsNearCodeOnly } from "../../src/answering/near-codes.ts";

test.each([
  ["what does ERR_PAY_1042 mean", "## ERR_PAY_1043\n\nThe provider refused.", true],
  ["what does ERR_PAY_1042 mean", "## ERR_PAY_1042 and ERR_PAY_1043\n", false],
  ["err_pay_1042 again", "| ERR_PAY_1042 | the provider refused |", false],
  ["pods end with exit-137", "exit-143 means a polite stop", true],
  ["ORA-12541 since noon", "ORA-12541: no listener", false],
  ["ORA-12541 since noon", "The listener was moved to db-2.", false],
  ["checkout is slow since 14:05", "ERR_PAY_1043", false],
  ["INC-2048 is red", "see INC-2047 for the story", false],
])("%j beside %j: another code of the family only, %s", (asked, text, expected) => {
  expect(holdsNearCodeOnly(asked, text)).toBe(expected);
});
