import type { HomeView, KnownBlock } from "@slack/types";

import { servicesOfPrincipal, type Principal } from "../access/audience.ts";
import type { AccessPolicy } from "../access/access-policy.ts";
import type { Logger } from "../logger.ts";
import { errorCode } from "./describe-error.ts";
import { describeServices } from "./describe-status.ts";
import { HELP } from "./render-answer.ts";
import type { WhoIsWho } from "./who-is-who.ts";

export interface HomeClient {
  readonly views: { publish(args: { user_id: string; view: HomeView }): Promise<unknown> };
}

/** The Home tab: what this person may see, and how to ask. Made anew each time it is opened. */
export function createShowHome({
  client,
  whoIsWho,
  policy,
  log,
}: {
  readonly client: HomeClient;
  readonly whoIsWho: WhoIsWho;
  readonly policy: () => AccessPolicy;
  readonly log: Logger;
}): (userId: string) => Promise<void> {
  return async (userId) => {
    const { principal, checked } = await whoIsWho.principal(userId);
    try {
      await client.views.publish({ user_id: userId, view: renderHome(policy(), principal, checked) });
    } catch (error) {
      log.warn({ userId, reason: errorCode(error) }, "home_not_shown");
    }
  };
}

function renderHome(policy: AccessPolicy, principal: Principal, checked: boolean): HomeView {
  const mayOpen = servicesOfPrincipal(policy, principal);
  const services = checked ? describeServices(mayOpen) : "What you may open could not be looked up just now.";
  return {
    type: "home",
    blocks: [
      { type: "header", text: { type: "plain_text", text: "Runbooks for incidents", emoji: false } },
      section(services),
      { type: "divider" },
      section(`*How to ask*\n${HELP}`),
    ],
  };
}

function section(text: string): KnownBlock {
  return { type: "section", text: { type: "mrkdwn", text, verbatim: true } };
}
