import { isTicket, SYMPTOM } from "./incident-vocabulary.ts";

const MOST = 4;
const LONGEST = 200;
const SHORTEST = 3;
/** Lines. */
const LONG_PASTE = 4;
const MEASURED = /\d/;

const QUOTED = /"([^"\n]{3,200})"|“([^”\n]{3,200})”|«\s*([^»\n]{3,200}?)\s*»|`([^`\n]{3,200})`/gu;
/** Error codes: capitals with a number (`ERR_PAY_1042`, `ORA-12541`), and names that end in `_exception`. */
const CODE = /\b(?:[A-Z]{2,}(?:[_-][A-Z0-9]+)*[_-]\d{2,}|[A-Z]{3,}\d{3,}|[a-z]+(?:_[a-z]+)*_exception)\b/gu;
/** `KubePodCrashLooping`, `CrashLoopBackOff`, `SQLTransientConnectionException`, `etcdNoLeader`. */
const NAME =
  /\b(?:\p{Lu}[\p{Ll}\p{N}]+(?:\p{Lu}[\p{L}\p{N}]*){1,}|\p{Ll}+\p{Lu}\p{Ll}+\p{Lu}[\p{L}\p{N}]*|\p{Lu}{2,}\p{Ll}+\p{Lu}[\p{L}\p{N}]*)\b/gu;
const LOG_LINE =
  /\b(?:ERROR|FATAL|CRITICAL|WARN(?:ING)?|panic|Traceback|Exception|error|fatal)\b\s*[:\]]|^Warning\s|[\w.]+(?:Error|Exception|ExpiredKey)\b.*:/u;

/**
 * The pieces of a message that say what is wrong, verbatim: quoted texts, log lines, error codes and alert names; where
 * there are none, the clauses with a symptom.
 */
export function findEvidence(text: string): string[] {
  const lines = text.split("\n").map((line) => line.trim());
  const isJson = /^\{.*"\s*:/.test(text);
  const strong = [
    ...(isJson
      ? []
      : [...text.matchAll(QUOTED)].map((match) => match.slice(1).find((part) => part !== undefined) ?? "")),
    ...(lines.length > 2 || isJson || LOG_LINE.test(text) ? findLogLines(lines) : []),
    ...findIdentifiers(text),
  ];
  const pieces = strong.length > 0 ? strong : findClauses(text);
  return dropContained(
    pieces.map((piece) => piece.trim().slice(0, LONGEST)).filter((piece) => piece.length >= SHORTEST),
  );
}

/** Names that exact look-ups may use: alert names and error codes. */
export function findIdentifiers(text: string): string[] {
  const codes = [...text.matchAll(CODE)].map(([code]) => code).filter((code) => !isTicket(code));
  return [...new Set([...codes, ...[...text.matchAll(NAME)].map(([name]) => name)])];
}

function findLogLines(lines: readonly string[]): string[] {
  const marked = lines.filter((line) => LOG_LINE.test(line) || line.startsWith("{"));
  const last = lines.findLast((line) => line !== "" && !line.startsWith("```"));
  // Below a long paste people write what it means.
  const closing = last !== undefined && (lines.length > LONG_PASTE || SYMPTOM.test(last)) ? [last] : [];
  return [...closing, ...marked.slice(0, 2)];
}

function findClauses(text: string): string[] {
  const clauses = text.split(/[\n;!?]+|[.,](?=\s|$)|，|。|\s--\s|\s[-–]\s|\s\.{3}\s/u);
  return clauses.filter((clause) => SYMPTOM.test(clause) || MEASURED.test(clause)).slice(0, MOST);
}

function dropContained(pieces: readonly string[]): string[] {
  const kept: string[] = [];
  for (const piece of pieces) {
    if (!kept.some((other) => other.includes(piece))) kept.push(piece);
  }
  return kept.slice(0, MOST);
}
