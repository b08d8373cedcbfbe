import { WebClient, type WebAPICallResult, type WebClientOptions } from "@slack/web-api";

import { errorCode, isDeadToken, refusalOf } from "./describe-error.ts";

/** What the bot's calls of Slack told on the side. */
export interface SlackHealth {
  /** Slack refuses the bot token: nothing can be answered until somebody sets a good one and starts the bot anew. */
  tokenRefused: boolean;
  /** Calls by method and how they ended (`ok` or Slack's word). */
  readonly onCall: (method: string, outcome: string) => void;
}

/** Slack's client, with an eye on how its calls end. */
export class WatchedClient extends WebClient {
  readonly #health: SlackHealth;

  constructor(token: string, options: WebClientOptions, health: SlackHealth) {
    super(token, options);
    this.#health = health;
  }

  override async apiCall(method: string, options?: Record<string, unknown>): Promise<WebAPICallResult> {
    try {
      const result = await super.apiCall(method, options);
      this.#health.tokenRefused = false;
      this.#health.onCall(method, "ok");
      return result;
    } catch (error) {
      if (isDeadToken(refusalOf(error))) this.#health.tokenRefused = true;
      this.#health.onCall(method, errorCode(error));
      throw error;
    }
  }
}
