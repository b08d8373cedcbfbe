import { describe, expect, it, test } from "vitest";

import { detectLanguage } from "../../src/answering/detect-language.ts";
import { glossInEnglish } from "../../src/answering/gloss-in-english.ts";

test.each([
  ["The database is down since the deployment", "en"],
  ["Die Datenbank antwortet seit dem Deployment nicht mehr", "de"],
  ["la base de données ne répond plus depuis ce matin", "fr"],
  ["los pods no arrancan desde esta mañana, ¿qué hago?", "es"],
  ["os pods não arrancam desde esta manhã, o que eu faço?", "pt"],
  ["数据库连接被拒绝", "zh"],
  ["kubectl get pods -n shop", "en"],
  ['2026-11-03T02:14:09Z E1119 an error in writer.go: failed to list: "forbidden" in namespace', "en"],
])("%j is %s", (text, language) => {
  expect(detectLanguage(text)).toBe(language);
});

describe("the English gloss", () => {
  it.each([
    ["Die Warteschlange läuft voll", "de", ["queue", "full"]],
    ["Datenbankverbindung abgelehnt", "de", ["database", "connection", "refused"]],
    ["le certificat a expiré sur tous les nœuds", "fr", ["certificate", "expired", "node"]],
    ["el disco está lleno, reinicié el servidor", "es", ["disk", "full", "restart", "server"]],
    ["o banco de dados caiu", "pt", ["database", "down"]],
    ["checkout-api 一直超时, 数据库连接被拒绝", "zh", ["checkout-api", "timeout", "database", "refused"]],
  ] as const)("of %j has the words for what it says", (text, language, words) => {
    const gloss = glossInEnglish(text, language)?.split(" ");

    expect(gloss).toEqual(expect.arrayContaining([...words]));
  });

  it("keeps names and codes as they are, and is nothing for English", () => {
    expect(glossInEnglish("der Dienst payments-eu meldet err_pay_1042", "de")).toContain("payments-eu");
    expect(glossInEnglish("the disk is full", "en")).toBeNull();
  });
});
