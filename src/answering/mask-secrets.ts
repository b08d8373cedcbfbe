import { lintSource } from "@secretlint/core";
import { secretLintProfiler } from "@secretlint/profiler";
import type { SecretSpan } from "../domain.ts";
import { creator as recommended } from "@secretlint/secretlint-rule-preset-recommend";

// It keeps two marks for each rule and text as long as the process lives: a gigabyte after some thousand answers.
secretLintProfiler.setEnabled(false);

type Placeholder = "[secret]" | "[email]" | "[ip address]" | "[card number]" | "[phone number]";

// What secretlint's rules leave out, or take for an example because it says EXAMPLE. Group 1 is what is hidden.
const OWN_RULES: readonly RegExp[] = [
  /(-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$))/g,
  /\b(eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?)/g,
  /\bBearer\s+([\w.~+/-]{12,}=*)/gi,
  /\b((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,})\b/g,
  /\b((?:xox[a-z]|xapp)-[\w-]{10,})/g,
  /\b((?:ghp|gho|ghu|ghs|ghr|github_pat|glpat|npm|hf)[_-]\w{16,})/g,
  /\b((?:sk|pk|rk|whsec)[_-](?:live|test|proj|ant)?[_-]?\w{16,})/g,
  /\b(AIza[\w-]{30,})/g,
  /(https:\/\/hooks\.slack\.com\/(?:services|workflows)\/[\w/]+)/g,
  /:\/\/[^\s:/@]*:([^\s@/]{3,})@/g,
  /(?:passw(?:or)?d|passwd|pwd|passphrase|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)[\w-]*["']?\s*=\s*["']?([^\s"'`,;)&|<>${}*[\]]{4,})/gi,
  /(?:passw(?:or)?d|passwd|pwd|passphrase|secret|api[_-]?key|access[_-]?key|private[_-]?key)[\w-]*["']?\s*:\s*["']?((?=[^\s"'`]*\d)[^\s"'`,;)&|<>${}*[\]]{6,})/gi,
];

const PERSONAL_RULES: readonly (readonly [RegExp, Placeholder])[] = [
  [/\b([\w.+-]+@[\w-]+(?:\.[\w-]+)+)\b/g, "[email]"],
  [/\b((?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d))\b/g, "[ip address]"],
  [
    /(?<![\w:.])((?:[0-9a-f]{1,4}:){7}[0-9a-f]{1,4}|(?=[0-9a-f:]*::)(?=[a-f:]*\d)[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7})(?![\w:])/gi,
    "[ip address]",
  ],
  [/(?<![\d.])((?:\d[ -]?){13,19})(?![\d.])/g, "[card number]"],
  [/(?<!\w)(\+\d{1,3}[ .-]?(?:\(\d{1,4}\)[ .-]?)?(?:\d[ .-]?){7,12}\d)(?!\w)/g, "[phone number]"],
];

/** Keys, tokens and passwords in a text, in order, not overlapping. */
export async function findSecrets(text: string): Promise<SecretSpan[]> {
  const spans = OWN_RULES.flatMap((rule) => findGroup(text, rule, "[secret]"));
  const { messages } = await lintSource({
    source: { filePath: "text.txt", content: text, contentType: "text", ext: ".txt" },
    options: { config: { rules: [{ id: "recommended", rule: recommended }] }, noPhysicFilePath: true },
  });
  for (const { range } of messages) spans.push({ from: range[0], to: range[1], placeholder: "[secret]" });
  return mergeSpans(spans);
}

/** A message with its secrets and personal data (e-mail, IP, card and phone numbers) replaced, before anything reads it. */
export async function redactMessage(text: string): Promise<string> {
  const personal = PERSONAL_RULES.flatMap(([rule, placeholder]) => findGroup(text, rule, placeholder)).filter(
    ({ from, to, placeholder }) => placeholder !== "[card number]" || passesLuhn(text.slice(from, to)),
  );
  return replaceSpans(text, mergeSpans([...(await findSecrets(text)), ...personal]));
}

/** The text with every span replaced by its placeholder. */
export function replaceSpans(text: string, spans: readonly SecretSpan[]): string {
  let masked = "";
  let position = 0;
  for (const { from, to, placeholder } of spans) {
    masked += text.slice(position, from) + placeholder;
    position = to;
  }
  return masked + text.slice(position);
}

function findGroup(text: string, rule: RegExp, placeholder: Placeholder): SecretSpan[] {
  return [...text.matchAll(rule)].map((match) => {
    const secret = (match[1] ?? "").trimEnd();
    const from = match.index + match[0].lastIndexOf(secret);
    return { from, to: from + secret.length, placeholder };
  });
}

function mergeSpans(spans: readonly SecretSpan[]): SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of spans.toSorted((left, right) => left.from - right.from || right.to - left.to)) {
    const last = merged.at(-1);
    if (last === undefined || span.from >= last.to) merged.push(span);
    else if (span.to > last.to) merged[merged.length - 1] = { ...last, to: span.to };
  }
  return merged;
}

/** The check digit of card numbers (ISO/IEC 7812-1): an order number of 16 digits seldom passes. */
function passesLuhn(number: string): boolean {
  const digits = Array.from(number.replace(/\D/g, ""), Number).toReversed();
  const sum = digits.reduce((total, digit, index) => {
    const doubled = index % 2 === 1 ? digit * 2 : digit;
    return total + (doubled > 9 ? doubled - 9 : doubled);
  }, 0);
  return digits.length >= 13 && sum % 10 === 0;
}
