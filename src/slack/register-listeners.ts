import type { App } from "@slack/bolt";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { RecordFeedback } from "../feedback/write-feedback.ts";
import type { Logger } from "../logger.ts";
import type { Metrics } from "../operate/metrics.ts";
import type { BotState } from "../store/open-state.ts";
import { createFindReaders } from "./find-readers.ts";
import { takeFeedback } from "./take-feedback.ts";
import { isSlacksAddress } from "./check-response-url.ts";
import type { OwnWorkspace } from "./guard-deliveries.ts";
import type { NewQuestion } from "./incoming-question.ts";
import { listenToInteractions } from "./listen-to-interactions.ts";
import { listenToMessages, type ThreadReplies } from "./listen-to-messages.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface BotIdentity extends OwnWorkspace {
  readonly botUserId: string;
  readonly botName: string;
}

export interface Listeners {
  readonly identity: BotIdentity;
  readonly policy: () => AccessPolicy;
  readonly whoIsWho: WhoIsWho;
  readonly state: BotState;
  readonly threadReplies: ThreadReplies;
  /** Starts the work and returns at once: Slack waits three seconds for the acknowledgement. */
  readonly accept: (question: NewQuestion) => void;
  /** Resolves when the answer to a message that is being answered has ended; null: none is. */
  readonly whenAnswered: (claim: string) => Promise<void> | null;
  readonly showHome: (userId: string) => Promise<void>;
  readonly recordFeedback: RecordFeedback;
  readonly metrics: Metrics;
  /** SLACK_API_URL: whose host answers may be sent to. */
  readonly apiUrl: string;
  readonly log: Logger;
}

/** Everything that Slack can trigger; what is not for this workspace never comes here (guard-deliveries.ts). */
export function registerListeners(app: App, listeners: Listeners): void {
  const { identity, policy, whoIsWho, state, recordFeedback, showHome, apiUrl, metrics, log } = listeners;

  /** Null: an address that is not Slack's. */
  function ownResponseUrl(address: string, channelId: string): string | null {
    if (isSlacksAddress(address, apiUrl)) return address;
    log.error({ alarm: "response_url_refused", channelId }, "response_url_refused");
    return null;
  }

  listenToMessages(app, listeners);
  listenToInteractions(app, { ...listeners, ownResponseUrl });
  const isForeign = (team: string | null | undefined) => (team ?? identity.teamId) !== identity.teamId;
  const findReaders = createFindReaders({ whoIsWho, policy });
  takeFeedback(app, { state, findReaders, record: recordFeedback, ownResponseUrl, isForeign, metrics, log });
  app.event("app_home_opened", async ({ event }) => {
    // Slack hears that the event arrived when this is done, and people are looked up after.
    if (event.tab === "home") void showHome(event.user);
  });
  for (const change of ["subteam_members_changed", "subteam_updated"] as const) {
    app.event(change, async () => whoIsWho.refreshGroups());
  }
  // Places are asked of Slack for every reply, so a channel that turns shared needs nothing here but its acknowledgement.
  for (const change of ["channel_shared", "channel_unshared"] as const) {
    app.event(change, async ({ event }) => log.info({ channelId: event.channel, change }, "channel_changed"));
  }
}
