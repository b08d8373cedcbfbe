import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { Place, Principal } from "../access/audience.ts";
import type { Logger } from "../logger.ts";

/** The Slack calls that tell who somebody is; a part of Slack's web client. */
export interface DirectoryClient {
  readonly users: { info(args: { user: string }): Promise<unknown> };
  readonly usergroups: { list(args: { include_users: boolean }): Promise<unknown> };
  readonly conversations: {
    info(args: { channel: string }): Promise<unknown>;
    members(args: { channel: string; limit: number; cursor?: string }): Promise<unknown>;
  };
}

export interface WhoIsWho {
  /** Who a person is, asked anew each time. `checked: false`: Slack could not tell, so nothing may be shown. */
  principal(userId: string): Promise<{ readonly principal: Principal; readonly checked: boolean }>;
  place(channelId: string): Promise<Place>;
  /** Forgets the user groups: somebody joined or left. */
  refreshGroups(): void;
}

const GROUPS_FRESH_MS = 60_000;
const LOOK_UPS = 2;
const MOST_MEMBERS = 50;

const flag = z.literal(false);
const UserInfo = z.object({ user: z.looseObject({ id: z.string() }) });
/** "Not a guest" needs the flags present and false: a deactivated user's record lacks them. */
const FullMember = z.looseObject({
  team_id: z.string(),
  deleted: flag,
  is_bot: flag,
  is_restricted: flag,
  is_ultra_restricted: flag,
});
const Guest = z.looseObject({ deleted: flag, is_bot: flag, team_id: z.string() });
const Usergroups = z.object({
  usergroups: z.array(
    z.looseObject({
      id: z.string(),
      users: z.array(z.string()).optional(),
      date_delete: z.number().optional(),
      is_external: z.boolean().optional(),
    }),
  ),
});
const ChannelInfo = z.object({
  channel: z.looseObject({
    is_im: z.boolean().optional(),
    is_mpim: z.boolean().optional(),
    is_ext_shared: z.boolean().optional(),
    is_pending_ext_shared: z.boolean().optional(),
    is_org_shared: z.boolean().optional(),
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
  const groups = createGroupCache(client, log);

  async function standingOf(userId: string): Promise<Principal["standing"]> {
    if (userId === "USLACKBOT" || userId === botUserId) return "unknown";
    const { user } = UserInfo.parse(await client.users.info({ user: userId }));
    const member = FullMember.safeParse(user);
    if (member.success) return member.data.team_id === teamId ? "member" : "foreign";
    const guest = Guest.safeParse(user);
    if (!guest.success) return "unknown";
    return guest.data.team_id === teamId ? "guest" : "foreign";
  }

  async function principal(userId: string) {
    for (let attempt = 1; attempt <= LOOK_UPS; attempt += 1) {
      try {
        const standing = await standingOf(userId);
        const needsGroups = standing === "member" && policy().groupsByUsergroup.size > 0;
        const usergroups = needsGroups ? await groups.of(userId) : new Set<string>();
        return { principal: { userId, standing, usergroups }, checked: true };
      } catch (error) {
        log.warn({ userId, attempt, reason: errorCode(error) }, "user_lookup_failed");
      }
    }
    return { principal: { userId, standing: "unknown" as const, usergroups: new Set<string>() }, checked: false };
  }

  async function membersOf(channelId: string): Promise<readonly Principal[] | null> {
    try {
      const { members, response_metadata: more } = Members.parse(
        await client.conversations.members({ channel: channelId, limit: MOST_MEMBERS }),
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
        const { channel } = ChannelInfo.parse(await client.conversations.info({ channel: channelId }));
        const shared = channel.is_ext_shared === true || channel.is_pending_ext_shared === true;
        const kind =
          channel.is_im === true ? "direct_message" : channel.is_mpim === true ? "group_direct_message" : "channel";
        const members = kind === "group_direct_message" ? await membersOf(channelId) : null;
        return { channelId, kind, shared, members };
      } catch (error) {
        log.warn({ channelId, reason: errorCode(error) }, "channel_lookup_failed");
        return { channelId: null, kind: "channel", shared: true, members: null };
      }
    },
    refreshGroups: () => groups.forget(),
  };
}

/** One call for all groups. An answer that is too old is used for one more such time when Slack is down, then not at all. */
function createGroupCache(client: DirectoryClient, log: Logger) {
  let known: { readonly at: number; readonly groupsByUser: ReadonlyMap<string, ReadonlySet<string>> } | null = null;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const { usergroups } = Usergroups.parse(await client.usergroups.list({ include_users: true }));
    const groupsByUser = new Map<string, Set<string>>();
    for (const group of usergroups) {
      if ((group.date_delete ?? 0) !== 0 || group.is_external === true) continue;
      for (const user of group.users ?? []) groupsByUser.set(user, (groupsByUser.get(user) ?? new Set()).add(group.id));
    }
    known = { at: Date.now(), groupsByUser };
  }

  return {
    forget(): void {
      known = null;
    },
    async of(userId: string): Promise<ReadonlySet<string>> {
      if (known === null || Date.now() - known.at > GROUPS_FRESH_MS) {
        asking ??= ask().finally(() => (asking = null));
        try {
          await asking;
        } catch (error) {
          // Plans without user groups and missing scopes end here too: nobody is in such a group then.
          log.error({ reason: errorCode(error) }, "usergroups_unreadable");
          if (known !== null && Date.now() - known.at > 2 * GROUPS_FRESH_MS) known = null;
        }
      }
      return known?.groupsByUser.get(userId) ?? new Set();
    },
  };
}

const SlackError = z.looseObject({ data: z.looseObject({ error: z.string() }) });

/** Slack's word for what went wrong, or the kind of error: fit for a log line. */
export function errorCode(error: unknown): string {
  const slack = SlackError.safeParse(error);
  if (slack.success) return slack.data.data.error;
  return error instanceof z.ZodError ? "unexpected_response" : error instanceof Error ? error.name : "unknown";
}
