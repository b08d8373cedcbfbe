import { isTicket } from "./incident-vocabulary.ts";

/** Codes: letters with a number, joined or with a mark between: `ERR_PAY_1042`, `ORA-12541`, `E1042`, `exit-137`. */
const CODE = /(?<![\p{L}\p{N}_-])(?:\p{L}+[_-])*\p{L}{1,10}[_-]?\d{2,}(?![\p{L}\p{N}_-])/gu;

/**
 * Does a text speak of other codes of the same family (`ERR_PAY_1043`) and of none that was asked for (`ERR_PAY_1042`)?
 * Such a text looks nearest of all and answers another question.
 */
export function holdsNearCodeOnly(asked: string, text: string): boolean {
  const wanted = readCodes(asked);
  if (wanted.size === 0) return false;
  const held = readCodes(text);
  if ([...wanted].some((code) => held.has(code))) return false;
  const families = new Set([...wanted].map(familyOf));
  return [...held].some((code) => families.has(familyOf(code)));
}

function readCodes(text: string): Set<string> {
  const codes = [...text.matchAll(CODE)].map(([code]) => code).filter((code) => !isTicket(code));
  return new Set(codes.map((code) => code.toUpperCase()));
}

function familyOf(code: string): string {
  return code.replace(/\d+/g, "0");
}
