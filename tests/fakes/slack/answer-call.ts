import type { ApiArguments, Board } from "./board.ts";
import { chatMethods } from "./methods/chat-methods.ts";
import { conversationMethods } from "./methods/conversation-methods.ts";
import { missingScope } from "./methods/find-conversation.ts";
import { Refusal, type ApiResult, type Method, type Methods } from "./methods/method.ts";
import { peopleMethods } from "./methods/people-methods.ts";
import { surfaceMethods } from "./methods/surface-methods.ts";

const METHODS: Methods = { ...chatMethods, ...conversationMethods, ...peopleMethods, ...surfaceMethods };

/** Answers one call as Slack's Web API would: token, scope, arguments, then the method. */
export function answerCall(method: string, token: string, args: ApiArguments, board: Board): ApiResult {
  const known = METHODS[method];
  const { bot } = board.world;
  try {
    if (known === undefined) throw new Refusal("unknown_method", { req_method: method });
    assertToken(known, token, board);
    if (known.scopes !== undefined && !known.scopes.some((scope) => bot.scopes.includes(scope))) {
      throw missingScope(known.scopes, bot.scopes);
    }
    assertArguments(method, known, args, board);
    return { ok: true, ...known.run(args, board) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { ok: false, error: error.error, ...error.more };
  }
}

function assertToken({ token: kind }: Method, token: string, { world: { bot } }: Board): void {
  if (token === "") throw new Refusal("not_authed");
  if (token !== bot.botToken && token !== bot.appToken) throw new Refusal("invalid_auth");
  if (token !== (kind === "app" ? bot.appToken : bot.botToken)) throw new Refusal("not_allowed_token_type");
}

/** Slack ignores arguments that it does not know; a typo must not pass here. */
function assertArguments(method: string, { required = [], optional = [] }: Method, args: ApiArguments, board: Board) {
  const missing = required.filter((name) => (args[name] ?? "") === "");
  if (missing.length > 0) {
    const messages = missing.map((name) => `[ERROR] missing required field: ${name}`);
    throw new Refusal("invalid_arguments", { response_metadata: { messages } });
  }
  // Bolt adds team_id to every call of a listener's client.
  const known = new Set(["token", "team_id", ...required, ...optional]);
  for (const name of Object.keys(args).filter((name) => !known.has(name))) {
    board.violations.push({ method, what: `unknown argument ${name}` });
  }
}
