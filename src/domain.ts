import type { DocumentInterface } from "@langchain/core/documents";

// The nouns, in the order in which the data meets them: index time first, then answer time.

/** What we know of a runbook besides its text. `owner` and `lastReviewed` are shown, never trusted for access. */
export interface RunbookMetadata {
  /** Path relative to RUNBOOKS_DIR without `.md`, with `/`; what a citation names. */
  readonly sourceId: string;
  readonly path: string;
  readonly title: string;
  /** Decided by the access file's paths, never by the text. */
  readonly service: string;
  /** SHA-256 of the file's bytes, hex. */
  readonly contentHash: string;
  readonly owner: string | null;
  readonly lastReviewed: string | null;
}

/** One Markdown file; `pageContent` is the whole decoded text, a byte order mark not counted. */
export type RunbookDocument = DocumentInterface<RunbookMetadata>;

/** A verbatim piece of a runbook: `file.slice(startIndex, startIndex + text.length) === text`, always. */
export interface Chunk {
  readonly sourceId: string;
  readonly title: string;
  readonly service: string;
  readonly path: string;
  /** Headings above the text, outermost first, without the title. */
  readonly headingTrail: readonly string[];
  /** UTF-16 code units into the decoded file. */
  readonly startIndex: number;
  /** Counts from 1. */
  readonly startLine: number;
  readonly text: string;
}

/** What a person or an alert said. `thread` holds the earlier messages that this asker may use, oldest first. */
export interface IncidentMessage {
  readonly text: string;
  readonly thread: readonly string[];
  /** Addresses behind the words of the text; those that stand in it are found there. */
  readonly links?: readonly string[];
}

export const CATEGORIES = [
  "database",
  "latency",
  "availability",
  "authentication",
  "deployment",
  "network",
  "capacity",
  "queue",
  "certificate",
  "security",
  "data",
  "other",
] as const;
export type Category = (typeof CATEGORIES)[number];

export const SEVERITIES = ["SEV1", "SEV2", "SEV3", "SEV4", "SEV5"] as const;
export type Severity = (typeof SEVERITIES)[number];

/** ISO 639-1 of the languages that are told apart; anything else counts as English, which the default model reads. */
export type Language = "en" | "de" | "es" | "fr" | "pt" | "zh";

/** What the message is about; every field comes from the message itself or the readers' own catalogue. */
export interface Classification {
  readonly isIncident: boolean;
  readonly ticketId: string | null;
  readonly summary: string;
  readonly category: Category;
  readonly severity: Severity | null;
  readonly service: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** Verbatim pieces of the message. */
  readonly evidence: readonly string[];
  readonly missingInformation: readonly string[];
  /** The message names another service than the thread before it: the thread's turns say nothing of it. */
  readonly changesTopic: boolean;
  readonly language: Language;
  /** What the message and the turns before it say in English words; null for English. Only the search reads it. */
  readonly inEnglish: string | null;
}

/** The search, built from the classification only. */
export interface FocusedQuery {
  /** `service | category | summary | evidence`: what is shown and logged as the query. */
  readonly text: string;
  /** The words that are searched for: summary and evidence, without the labels above. */
  readonly words: string;
  /** Earlier turns of the thread, oldest first; they count less. */
  readonly earlier: readonly string[];
  /** What is asked in English words, where the question is in another language. */
  readonly inEnglish: string | null;
  readonly service: string | null;
  /** Addresses that the message links to. */
  readonly links: readonly string[];
}

/** A span of a text that must not be shown, and what is shown instead; UTF-16 code units, `to` is exclusive. */
export interface SecretSpan {
  readonly from: number;
  readonly to: number;
  readonly placeholder: string;
}

declare const retrieved: unique symbol;
/** A chunk that the store returned for a query, with its score; only the retriever makes one. */
export interface Passage extends Chunk {
  readonly score: number;
  /** The commit whose text this is; links point there. */
  readonly commit: string | null;
  /** Where keys, tokens and passwords stand in `text`: never shown, never sent to a model. */
  readonly secrets: readonly SecretSpan[];
  readonly [retrieved]: true;
}

/** A runbook that its readers may open, named without being offered as an answer. */
export interface RunbookLink {
  readonly sourceId: string;
  readonly title: string;
  /** Null where the access file has no link template. */
  readonly url: string | null;
}

/** One next check. `quote` is a verbatim span of the passage with that `sourceId`. */
export interface NextCheck {
  readonly text: string;
  readonly sourceId: string;
  readonly quote: string;
}

/** A recommendation as it was written, before any citation was checked. */
export interface DraftRecommendation {
  readonly explanation: string;
  readonly nextChecks: readonly NextCheck[];
  readonly sourceIds: readonly string[];
  readonly needsHumanReview: boolean;
}

declare const grounded: unique symbol;
/** A recommendation whose every citation was checked; only `checkCitations` makes one. */
export interface GroundedRecommendation extends DraftRecommendation {
  readonly [grounded]: true;
}

/** Whom to ask when no runbook answers: a group of the access file. */
export interface AskInstead {
  readonly group: string;
  readonly why: string;
}

interface AnswerBase {
  readonly classification: Classification;
  readonly query: string;
  /** `rules`/`extractive`, or the model's name. */
  readonly answeredBy: { readonly classification: string; readonly recommendation: string };
  readonly warnings: readonly string[];
  /** The index that was searched; null: none was. */
  readonly indexVersion: string | null;
  /** Milliseconds per step. */
  readonly timings: Timings;
}

export interface Timings {
  readonly classify: number;
  readonly retrieve: number;
  readonly recommend: number;
  readonly total: number;
}

/** The typed outcome of the pipeline for one set of readers. */
export type Answer = AnswerBase &
  (
    | {
        readonly kind: "answered";
        readonly recommendation: GroundedRecommendation;
        readonly passages: readonly Passage[];
        /** Parts of the question that no passage answers. */
        readonly uncovered: readonly string[];
      }
    | { readonly kind: "no_match"; readonly closest: readonly RunbookLink[]; readonly askInstead: AskInstead }
    | { readonly kind: "clarify"; readonly question: string; readonly services: readonly string[] }
    | { readonly kind: "not_an_incident"; readonly askInstead: AskInstead }
  );

/** What everyone in the place reads, and what goes to the caller alone (null: nothing more). */
export interface AudienceAnswer {
  readonly shared: Answer;
  readonly callerOnly: Extract<Answer, { kind: "answered" }> | null;
}
