import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { readQueryTerms, readTerms } from "../../src/store/read-terms.ts";

const examples: [string, string, string[]][] = [
  ["stems English words", "Connections refused, restarting", ["connect", "refus", "restart"]],
  ["keeps order and repeats", "pool limit pool", ["pool", "limit", "pool"]],
  ["splits camelCase words, and keeps them whole", "KubePodCrash", ["kubepodcrash", "kube", "pod", "crash"]],
  ["splits at every sign", "ERR-4012 a/b.c_d 12:00", ["err", "4012", "a", "b", "c", "d", "12", "00"]],
  ["folds accents and width", "Àéîõü ＡＰＩ", ["aeiou", "api"]],
  ["drops apostrophes", "don't can’t", ["dont", "cant"]],
  ["cuts French elisions", "l'eau qu’avant aujourd'hui", ["eau", "avant", "aujourdhui"]],
  ["reads Chinese as pairs", "数据库连接", ["数据", "据库", "库连", "连接"]],
  ["tells Chinese from what stands beside it", "DB连接", ["db", "连接"]],
  ["takes one such letter as it is", "水", ["水"]],
  ["reads Cyrillic and digits", "Сервер 503", ["сервер", "503"]],
  ["finds none in signs", "!? -- \n", []],
];

describe("the terms of a text", () => {
  it.each(examples)("%s", (_what, text, terms) => {
    expect(readTerms(text)).toEqual(terms);
  });

  it("cuts endless words, so that they can't bloat an index", () => {
    expect(readTerms("a".repeat(5000))).toEqual(["a".repeat(64)]);
  });

  it("reads a word alike wherever it stands and however it is written in Unicode", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        expect(readTerms(text.normalize("NFD"))).toEqual(readTerms(text.normalize("NFC")));
        expect(readTerms(`${text} `)).toEqual(readTerms(text));
      }),
    );
  });
});

describe("the terms of a question", () => {
  it("leave out what every question says", () => {
    expect(readQueryTerms("hi, can anyone help me please? checkout is down again")).toEqual(["checkout"]);
    expect(readQueryTerms("où est le mot de passe ?")).toEqual(["mot", "pass"]);
  });

  it("are terms of the text that asks the same", () => {
    const text = "Why does the etcdNoLeader alert fire after the deployment?";
    const terms = new Set(readTerms(text));

    expect(readQueryTerms(text).every((term) => terms.has(term))).toBe(true);
  });

  it("are none when it says nothing", () => {
    expect(readQueryTerms("what is it?")).toEqual([]);
  });
});
