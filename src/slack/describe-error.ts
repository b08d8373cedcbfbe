import { z } from "zod";

const SlackRefusal = z.looseObject({ data: z.looseObject({ ok: z.literal(false), error: z.string() }) });
const RateLimited = z.looseObject({ code: z.literal("slack_webapi_rate_limited_error"), retryAfter: z.number() });
const HttpFailure = z.looseObject({ statusCode: z.number() });
const Coded = z.looseObject({ code: z.string() });
/** Fetch hides the system's word in its cause. */
const RequestFailure = z.looseObject({
  original: z.union([z.looseObject({ cause: Coded }).transform(({ cause }) => cause), Coded]),
});

/** Slack's word for what went wrong, or the kind of error: fit for a log line, never for Slack. */
export function errorCode(error: unknown): string {
  const refused = refusalOf(error);
  if (refused !== null) return refused;
  if (retryAfterOf(error) !== null) return "ratelimited";
  const http = HttpFailure.safeParse(error);
  if (http.success) return `http_${http.data.statusCode}`;
  const request = RequestFailure.safeParse(error);
  if (request.success) return request.data.original.code;
  if (error instanceof z.ZodError) return "unexpected_response";
  return error instanceof Error ? error.name : "unknown";
}

/** Slack answered, and said no: its word for why. Null: it did not answer, or not with a word. */
export function refusalOf(error: unknown): string | null {
  const parsed = SlackRefusal.safeParse(error);
  return parsed.success ? parsed.data.data.error : null;
}

/** Seconds that Slack asks to wait; null: it does not. */
export function retryAfterOf(error: unknown): number | null {
  const parsed = RateLimited.safeParse(error);
  return parsed.success ? parsed.data.retryAfter : null;
}

/** Where in our code an unexpected error began; its message may hold texts that belong in no log. */
export function whereFrom(error: unknown): string[] {
  const frames = error instanceof Error ? (error.stack?.split("\n") ?? []) : [];
  return frames
    .filter((line) => /^\s+at /.test(line))
    .slice(0, 4)
    .map((line) => line.trim());
}

const DEAD_TOKEN = /^(?:invalid_auth|not_authed|account_inactive|token_\w+|not_allowed_token_type)$/;

/** Slack's word for a token that works no more, or never did. */
export function isDeadToken(refusal: string | null): boolean {
  return refusal !== null && DEAD_TOKEN.test(refusal);
}

/** Slack's words for a place that the bot can't post to. */
const CLOSED_PLACE = new Set([
  "not_in_channel",
  "channel_not_found",
  "is_archived",
  "restricted_action",
  "user_not_in_channel",
  "message_not_found",
]);

export function isClosedPlace(error: unknown): boolean {
  return CLOSED_PLACE.has(refusalOf(error) ?? "");
}

const Wrapped = z.looseObject({ original: z.unknown() });

/** Something of Slack's had another form than we know; Bolt wraps what listeners throw. */
export function isUnreadable(error: unknown): boolean {
  const wrapped = Wrapped.safeParse(error);
  return error instanceof z.ZodError || (wrapped.success && wrapped.data.original instanceof z.ZodError);
}
