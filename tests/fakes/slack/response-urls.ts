import { channelOf, type ApiArguments, type Board } from "./board.ts";
import { put } from "./methods/chat-methods.ts";
import { Refusal } from "./methods/method.ts";
import type { SlackMessageRecord } from "./slack-world.ts";

/** Five uses within 30 minutes. */
const MOST_USES = 5;
const LIFETIME_MS = 30 * 60_000;
const KNOWN = new Set(
  "attachments blocks delete_original metadata mrkdwn replace_original response_type text thread_ts unfurl_links unfurl_media".split(
    " ",
  ),
);

export interface Origin {
  readonly channel: string;
  readonly user: string;
  /** The message that a button or shortcut belongs to; a command has none. */
  readonly message?: SlackMessageRecord;
}

export interface ResponseUrls {
  /** The last part of a new address. */
  create(origin: Origin): string;
  use(id: string, args: ApiArguments): { status: number; body: string };
  /** The response that an acknowledgement of a command may carry; not one of the five. */
  respond(origin: Origin, args: ApiArguments): void;
}

export function createResponseUrls(board: Board): ResponseUrls {
  const urls = new Map<string, { origin: Origin; uses: number; until: number }>();

  function respond({ channel: channelId, user, message }: Origin, args: ApiArguments): void {
    const violation = (what: string) => board.violations.push({ method: "response_url", what });
    for (const name of Object.keys(args).filter((name) => !KNOWN.has(name))) violation(`unknown argument ${name}`);
    const at = message === undefined ? -1 : board.messages.indexOf(message);
    if (args["delete_original"] === true) return void (at >= 0 && board.messages.splice(at, 1));
    if (args["response_type"] === undefined) violation("response_type is not set");
    const inChannel = args["response_type"] === "in_channel";
    const visibleTo = inChannel ? undefined : user;
    const posted = put(args, board, channelOf(board.world, channelId), { visibleTo, method: "response_url" });
    if (args["replace_original"] !== true || message === undefined || at < 0) {
      if (inChannel) board.notify({ type: "message", ...posted });
      return;
    }
    // The original keeps its place and its readers.
    board.messages.pop();
    const { ts: _ts, thread_ts: _thread, visibleTo: _reader, ...content } = posted;
    for (const name of ["blocks", "attachments"] as const) delete message[name];
    Object.assign(message, content);
  }

  return {
    create(origin) {
      const id = board.nextId("R");
      urls.set(id, { origin, uses: 0, until: board.now() + LIFETIME_MS });
      return id;
    },
    use(id, args) {
      const url = urls.get(id);
      const failure = (error: string, status = 404) => ({ status, body: JSON.stringify({ ok: false, error }) });
      if (url === undefined) return failure("invalid_url");
      if (board.now() > url.until) return failure("expired_url");
      if (url.uses >= MOST_USES) return failure("used_url");
      try {
        respond(url.origin, args);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return failure(error.error, 400);
      }
      url.uses += 1;
      return { status: 200, body: "ok" };
    },
    respond,
  };
}
