import fc from "fast-check";
import picomatch from "picomatch";
import { describe, expect, it } from "vitest";

import { createServiceMatcher } from "../../src/access/match-runbook-path.ts";

const part = fc.constantFrom("a", "b", "a-b", "A", "*", "**", "a*", "{a,b}", "?", "[ab]", "!a", ".a", "@(a|b)");
const glob = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => `${parts.join("/")}.md`);
const word = fc.constantFrom("a", "b", "a-b", "A", ".a", "c");
const path = fc.array(word, { minLength: 1, maxLength: 4 }).map((parts) => `${parts.join("/")}.md`);

describe("the services of a path", () => {
  it("are those that trying every glob would find", () => {
    fc.assert(
      fc.property(fc.array(fc.array(glob, { minLength: 1, maxLength: 3 }), { maxLength: 6 }), path, (lists, wanted) => {
        const services = lists.map((runbooks, index) => ({ name: `s${index}`, runbooks }));

        const found = createServiceMatcher(services)(wanted);

        const expected = services.filter(({ runbooks }) => picomatch(runbooks)(wanted)).map(({ name }) => name);
        expect(found.toSorted()).toEqual(expected.toSorted());
      }),
      { numRuns: 2000 },
    );
  });
});
