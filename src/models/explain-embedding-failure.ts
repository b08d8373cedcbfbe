import { PipelineError } from "../errors.ts";
import { retryAfterOf, statusOf } from "./retry-request.ts";

/** Refusals that a smaller batch may get past: a server that takes one text per request says one of these. */
const TOO_MUCH = new Set([400, 413, 422]);
/** How OpenAI, vLLM, text-embeddings-inference and llama.cpp say that a text is too long; the last one with a 500. */
const TOO_LONG =
  /context length|context window|too (?:long|large)|less than \d+ tokens|physical batch size|tokens exceed/i;
const TOKEN_LIMIT = /(?:context length is|context window of|less than|batch size:|limit of) (\d+)/i;

export interface EmbeddingServerName {
  readonly model: string;
  readonly server: string;
}

/** Was the request refused for what it holds? Then the same request is refused again, and a part of it may not be. */
export function isTooMuch(error: unknown): boolean {
  return TOO_MUCH.has(statusOf(error) ?? 0) || isTooLong(error);
}

/** Did the server say that a text is longer than its model reads? */
export function isTooLong(error: unknown): boolean {
  return statusOf(error) !== null && error instanceof Error && TOO_LONG.test(error.message);
}

/** A used-up quota comes as a 429, and no waiting helps. */
export function isQuotaUsedUp(error: unknown): boolean {
  const { name, code } = error as { name?: string; code?: string };
  return name === "InsufficientQuotaError" || code === "insufficient_quota";
}

/** Which of the texts it was that the server refused; whoever asked knows where it comes from. */
export function refusedTextOf(error: unknown): number | null {
  const place = error instanceof PipelineError ? error.context["refusedText"] : null;
  return typeof place === "number" ? place : null;
}

/**
 * The failure with its way out; the server's own words may hold the text that was sent, so they stay out.
 * `text` is the only text of the request.
 */
export function explainEmbeddingFailure(
  cause: unknown,
  { model, server }: EmbeddingServerName,
  text: { readonly place: number; readonly length: number } | null = null,
): PipelineError {
  if (cause instanceof PipelineError) return cause;
  const status = statusOf(cause);
  const context = { status, ...(text !== null && isTooMuch(cause) ? { refusedText: text.place } : {}) };
  const say = (what: string) =>
    new PipelineError("dependency", `the embedding server at ${server} ${what}`, { cause, context });
  if (cause instanceof SyntaxError) return say("gave something that is no JSON; check OPENAI_BASE_URL");
  if (status === null) return say("did not answer; check OPENAI_BASE_URL and that it runs");
  if (isQuotaUsedUp(cause)) return say("says that the quota is used up (429); raise it, or set another OPENAI_API_KEY");
  if (status === 401 || status === 403) return say(`refused the key (${status}); check OPENAI_API_KEY`);
  if (status === 404) return say(`knows no model ${model} (404); check EMBEDDING_MODEL and OPENAI_BASE_URL`);
  if (status === 429) {
    const pause = retryAfterOf(cause);
    const asked = pause === null ? "" : `, and asks for a pause of ${Math.ceil(pause / 1000)} s`;
    return say(`has had enough requests (429${asked}); wait, or raise its limit, and run the command again`);
  }
  if (isTooLong(cause)) return say(describeTooLong(cause as Error, model, text?.length ?? null));
  if (text !== null && isTooMuch(cause)) return say(`refused a text of ${text.length} characters (${status})`);
  return say(`refused a request (${status})`);
}

function describeTooLong({ message }: Error, model: string, length: number | null): string {
  const limit = TOKEN_LIMIT.exec(message)?.[1];
  const reads = limit === undefined ? "" : ` (it reads ${limit} tokens)`;
  const what = length === null ? "a text" : `a text of ${length} characters`;
  return `refused ${what} as too long for ${model}${reads}; raise its limit, or choose a model that reads more`;
}
