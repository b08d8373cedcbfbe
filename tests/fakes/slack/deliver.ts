import { setTimeout as sleep } from "node:timers/promises";

export type EnvelopeType = "events_api" | "slash_commands" | "interactive";
export type Payload = Record<string, unknown>;

export interface DeliveryOptions {
  /** As if Slack had tried so often before. */
  readonly retryNum?: number;
  readonly retryReason?: string;
  /** Slack gives up at once when the bot does not acknowledge. */
  readonly noRetries?: boolean;
  /** So many acknowledgements get lost on the way: the bot has it, and gets it again. */
  readonly loseAcks?: number;
  /** HTTP: signed at another time than now (Unix milliseconds), or with another secret. */
  readonly signedAt?: number;
  readonly signingSecret?: string;
}

export interface Delivery {
  readonly acknowledged: boolean;
  /** Milliseconds until the first acknowledgement. */
  readonly ackMs: number;
  readonly attempts: number;
  /** Of the last attempt; null when no answer came. An acknowledgement over the socket counts as 200. */
  readonly status: number | null;
  /** What the bot answered: for a command, the message that its acknowledgement carried. */
  readonly body: string;
  /** What was delivered, for `redeliver`. */
  readonly type: EnvelopeType;
  readonly payload: Payload;
}

/** One attempt. `reason`: Slack's word for why it counts as failed. */
export interface Attempt {
  readonly status: number | null;
  readonly body: string;
  readonly reason: string | null;
  /** The bot answered `x-slack-no-retry: 1`. */
  readonly noRetry?: boolean;
}

export interface Timing {
  /** Slack waits three seconds for the acknowledgement. */
  readonly ackTimeoutMs: number;
  /** Slack tries again at once, after a minute and after five; much sooner here unless a test says otherwise. */
  readonly retryDelaysMs: readonly number[];
}

export type SendOnce = (
  type: EnvelopeType,
  payload: Payload,
  retry: { num: number; reason: string } | null,
  options: DeliveryOptions,
) => Promise<Attempt>;

/**
 * Delivers as Slack does: an event is tried up to four times, a command or an action once (its user is told that it
 * failed).
 */
export async function deliverWithRetries(
  send: SendOnce,
  { type, payload }: Pick<Delivery, "type" | "payload">,
  options: DeliveryOptions,
  { retryDelaysMs }: Timing,
  stopped: AbortSignal,
): Promise<Delivery> {
  const { noRetries = false, retryNum = 0, loseAcks = 0 } = options;
  const started = performance.now();
  const mostRetries = noRetries || type !== "events_api" ? 0 : retryDelaysMs.length;
  let reason = options.retryReason ?? "http_timeout";
  for (let retries = 0; ; retries += 1) {
    const num = retryNum + retries;
    const attempt = await send(type, payload, num === 0 ? null : { num, reason }, options);
    const { status, body, noRetry = false } = attempt;
    const acknowledged = attempt.reason === null && retries >= loseAcks;
    if (acknowledged || noRetry || retries >= mostRetries || stopped.aborted) {
      return { acknowledged, ackMs: performance.now() - started, attempts: retries + 1, status, body, type, payload };
    }
    reason = attempt.reason ?? "http_timeout";
    await sleep(retryDelaysMs[retries], undefined, { signal: stopped }).catch(() => undefined);
  }
}
