import type { App } from "@slack/bolt";
import { z } from "zod";

import type { Logger } from "../logger.ts";

/** The workspace (and the enterprise, if it belongs to one) that the bot token is for. */
export interface OwnWorkspace {
  readonly teamId: string;
  /** Null: the workspace belongs to none. */
  readonly enterpriseId: string | null;
}

/** Slack's own limit for the age of a signed request; Bolt refuses older ones, but not those from the future. */
const MOST_SKEW_MS = 5 * 60_000;

const Id = z.looseObject({ id: z.string() }).nullish().catch(null);
/** Events and commands name their workspace flat, buttons and views as an object. */
const Delivery = z.looseObject({
  team_id: z.string().nullish().catch(null),
  enterprise_id: z.string().nullish().catch(null),
  team: Id,
  enterprise: Id,
});

/** Everything passes here before any listener: what is for another workspace, or was signed at another time, is dropped. */
export function guardDeliveries(app: App, own: OwnWorkspace, log: Logger): void {
  app.use(async (delivery) => {
    const reason = findFault(delivery.body, delivery.context["sentAt"], own);
    if (reason === null) return delivery.next();
    log.warn({ reason }, "delivery_refused");
    // Without it Slack would send it again.
    if ("ack" in delivery && typeof delivery.ack === "function") await delivery.ack();
  });
}

function findFault(body: unknown, sentAt: unknown, own: OwnWorkspace): string | null {
  if (typeof sentAt === "number" && !(Math.abs(Date.now() - sentAt) <= MOST_SKEW_MS)) return "another_time";
  const parsed = Delivery.safeParse(body);
  if (!parsed.success) return "unreadable";
  const { team_id: flatTeam, enterprise_id: flatEnterprise, team, enterprise } = parsed.data;
  // What names no workspace is for nobody.
  if ((flatTeam ?? team?.id) !== own.teamId) return "another_workspace";
  const theirs = flatEnterprise ?? enterprise?.id ?? null;
  return theirs !== null && own.enterpriseId !== null && theirs !== own.enterpriseId ? "another_enterprise" : null;
}
