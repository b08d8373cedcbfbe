import { setTimeout as sleep } from "node:timers/promises";

import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { Place, Principal } from "../access/audience.ts";
import type { Logger } from "../logger.ts";
import { errorCode, refusalOf, retryAfterOf } from "./describe-error.ts";
import { createUsergroups, type UsergroupsClient } from "./read-usergroups.ts";

/** The Slack calls that tell who somebody is; a part of Slack's web client. */
export interface DirectoryClient extends UsergroupsClient {
  readonly users: { info(args: { user: string }): Promise<unknown> };
  readonly conversations: {
    info(args: { channel: string }): Promise<unknown>;
    members(args: { channel: string; limit: number; cursor?: string }): Promise<unknown>;
  };
}

/** `checked: false`: Slack could not tell, so nothing may be shown. */
export interface KnownPrincipal {
  readonly principal: Principal;
  readonly checked: boolean;
}

/** `botIsOutside`: Slack shows the bot no such channel, because it was never invited. */
export interface KnownPlace extends Place {
  readonly botIsOutside: boolean;
}

export interface WhoIsWho {
  /** Who a person is, asked anew each time: no answer of before is trusted. */
  principal(userId: string): Promise<KnownPrincipal>;
  place(channelId: string): Promise<KnownPlace>;
  /** Forgets the user groups: somebody joined or left. */
  refreshGroups(): void;
}

const LOOK_UPS = 2;
const LONGEST_WAIT_S = 5;
const MOST_MEMBERS = 50;
const SLACKBOT = "USLACKBOT";

const UserInfo = z.object({
  user: z.looseObject({
    id: z.string(),
    team_id: z.string().optional(),
    deleted: z.boolean().optional(),
    is_bot: z.boolean().optional(),
    is_restricted: z.boolean().optional(),
    is_ultra_restricted: z.boolean().optional(),
  }),
});
type User = z.infer<typeof UserInfo>["user"];

const ChannelInfo = z.object({
  channel: z.looseObject({
    is_im: z.boolean().optional(),
    is_mpim: z.boolean().optional(),
    is_ext_shared: z.boolean().optional(),
    is_pending_ext_shared: z.boolean().optional(),
  }),
});
const Members = z.object({
  members: z.array(z.string()),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/** Looks people and places up in Slack and fails closed: what can't be established may see nothing. */
export function createWhoIsWho({
  client,
  teamId,
  botUserId,
  policy,
  log,
}: {
  readonly client: DirectoryClient;
  readonly teamId: string;
  readonly botUserId: string;
  readonly policy: () => AccessPolicy;
  readonly log: Logger;
}): WhoIsWho {
  const groups = createUsergroups(client, log);

  async function principal(userId: string): Promise<KnownPrincipal> {
    const nobody = { userId, standing: "unknown" as const, usergroups: new Set<string>() };
    if (userId === SLACKBOT || userId === botUserId) return { principal: nobody, checked: true };
    try {
      const { user } = UserInfo.parse(await lookUp(() => client.users.info({ user: userId })));
      const standing = user.id === userId ? standingOf(user, teamId) : "unknown";
      const needsGroups = standing === "member" && policy().groupsByUsergroup.size > 0;
      const usergroups = needsGroups ? await groups.of(userId) : new Set<string>();
      return { principal: { userId, standing, usergroups }, checked: true };
    } catch (error) {
      log.warn({ userId, reason: errorCode(error) }, "user_lookup_failed");
      return { principal: nobody, checked: refusalOf(error) === "user_not_found" };
    }
  }

  async function membersOf(channelId: string): Promise<readonly Principal[] | null> {
    try {
      const { members, response_metadata: more } = Members.parse(
        await lookUp(() => client.conversations.members({ channel: channelId, limit: MOST_MEMBERS })),
      );
      if ((more?.next_cursor ?? "") !== "") return null;
      const people = members.filter((member) => member !== botUserId);
      return await Promise.all(people.map(async (member) => (await principal(member)).principal));
    } catch (error) {
      log.warn({ channelId, reason: errorCode(error) }, "member_lookup_failed");
      return null;
    }
  }

  return {
    principal,
    async place(channelId) {
      try {
        const { channel } = ChannelInfo.parse(await lookUp(() => client.conversations.info({ channel: channelId })));
        const kind =
          channel.is_im === true ? "direct_message" : channel.is_mpim === true ? "group_direct_message" : "channel";
        // "Not shared" needs the flag present and false, except in direct messages, whose records lack it.
        const shared =
          channel.is_pending_ext_shared === true ||
          (kind === "channel" ? channel.is_ext_shared !== false : channel.is_ext_shared === true);
        const members = kind === "group_direct_message" ? await membersOf(channelId) : null;
        return { channelId, kind, shared, members, botIsOutside: false };
      } catch (error) {
        log.warn({ channelId, reason: errorCode(error) }, "channel_lookup_failed");
        // Without the scope im:read Slack says nothing of a direct message, and its id says enough: besides the bot only the
        // asker reads it. In one between two people the bot can't post.
        if (channelId.startsWith("D") && refusalOf(error) === "missing_scope") {
          return { channelId, kind: "direct_message", shared: false, members: null, botIsOutside: false };
        }
        const botIsOutside = refusalOf(error) === "channel_not_found";
        return { channelId: null, kind: "channel", shared: true, members: null, botIsOutside };
      }
    },
    refreshGroups: () => groups.forget(),
  };
}

/**
 * A deactivated user's record lacks the guest flags, so `deleted` comes first, and each flag must be there and say false:
 * what a record leaves out is no permission.
 */
function standingOf(user: User, teamId: string): Principal["standing"] {
  if (user.deleted !== false || user.is_bot !== false || user.team_id === undefined) return "unknown";
  if (user.team_id !== teamId) return "foreign";
  const { is_restricted: restricted, is_ultra_restricted: ultraRestricted } = user;
  if (restricted === undefined || ultraRestricted === undefined) return "unknown";
  return restricted || ultraRestricted ? "guest" : "member";
}

/** "Not found" is an answer, not a failure. */
const FINAL = new Set(["user_not_found", "channel_not_found"]);

/** Asks once more when Slack failed, or asked to wait a little. */
async function lookUp(ask: () => Promise<unknown>): Promise<unknown> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      const seconds = retryAfterOf(error) ?? 0;
      if (attempt === LOOK_UPS || seconds > LONGEST_WAIT_S || FINAL.has(refusalOf(error) ?? "")) throw error;
      await sleep(seconds * 1000);
    }
  }
}
