import type { ApiArguments, Board } from "../board.ts";

export type ApiResult = { ok: boolean; error?: string } & Record<string, unknown>;

/** One method of the Web API, with the arguments that Slack's reference lists. */
export interface Method {
  /** Socket Mode's method takes the app-level token; all others the bot's. */
  readonly token?: "app";
  /** Any of these scopes. Methods on conversations look at the kind of conversation instead. */
  readonly scopes?: readonly string[];
  readonly required?: readonly string[];
  readonly optional?: readonly string[];
  run(args: ApiArguments, board: Board): Record<string, unknown>;
}

export type Methods = Readonly<Record<string, Method>>;

/** Slack answers `ok: false` with this word. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly error: string;
  readonly more: Record<string, unknown>;
  constructor(error: string, more: Record<string, unknown> = {}) {
    super(error);
    this.error = error;
    this.more = more;
  }
}

export function refuse(error: string, messages: readonly string[] = []): never {
  throw new Refusal(error, messages.length === 0 ? {} : { errors: messages, response_metadata: { messages } });
}

export function field(args: ApiArguments, name: string): string {
  const value = args[name];
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : "";
}

/** Forms carry booleans as words. */
export function flag(args: ApiArguments, name: string): boolean {
  return args[name] === true || args[name] === "true" || args[name] === "1";
}

const MOST_PER_PAGE = 1000;

/** A page of a list, with an opaque cursor to the next one. */
export function pageOf<T>(args: ApiArguments, all: readonly T[], usual: number): { items: T[]; next: string } {
  const limit = field(args, "limit") === "" ? usual : Number(field(args, "limit"));
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_PER_PAGE) refuse("invalid_limit");
  const cursor = Buffer.from(field(args, "cursor"), "base64").toString();
  if (cursor !== "" && !/^after:\d+$/.test(cursor)) refuse("invalid_cursor");
  const from = Number(cursor.slice("after:".length));
  const next = from + limit < all.length ? Buffer.from(`after:${from + limit}`).toString("base64") : "";
  return { items: all.slice(from, from + limit), next };
}
