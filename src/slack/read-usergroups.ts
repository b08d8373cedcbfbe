import { z } from "zod";

import type { Logger } from "../logger.ts";
import { errorCode } from "./describe-error.ts";

export interface UsergroupsClient {
  readonly usergroups: { list(args: { include_users: boolean }): Promise<unknown> };
}

export interface Usergroups {
  /** Ids of the groups that a person is in; none when Slack does not tell. */
  of(userId: string): Promise<ReadonlySet<string>>;
  /** Somebody joined or left: what is known, and what is being asked right now, no longer counts. */
  forget(): void;
}

interface Snapshot {
  readonly askedAt: number;
  readonly groupsByUser: ReadonlyMap<string, ReadonlySet<string>>;
}

const FRESH_MS = 60_000;
const MOST_ROUNDS = 3;

const List = z.object({
  usergroups: z.array(
    z.looseObject({
      id: z.string(),
      users: z.array(z.string()).optional(),
      date_delete: z.number().optional(),
      is_external: z.boolean().optional(),
    }),
  ),
});

/**
 * One call for all groups, kept for a minute. An answer that is too old counts for one more minute while Slack is down,
 * then not at all. Plans without user groups and a missing scope end as a failure too: nobody is in a group then.
 */
export function createUsergroups(client: UsergroupsClient, log: Logger): Usergroups {
  let known: Snapshot | null = null;
  let asking: Promise<void> | null = null;
  let generation = 0;
  let reported: string | null = null;

  async function ask(asOf: number): Promise<void> {
    const askedAt = Date.now();
    const groupsByUser = readMembers(await client.usergroups.list({ include_users: true }));
    if (asOf === generation) known = { askedAt, groupsByUser };
    reported = null;
  }

  async function current(round = 1): Promise<Snapshot | null> {
    if (known !== null && ageOf(known) <= FRESH_MS) return known;
    const asOf = generation;
    asking ??= ask(asOf).finally(() => {
      if (asOf === generation) asking = null;
    });
    try {
      await asking;
    } catch (error) {
      const reason = errorCode(error);
      if (reason !== reported) log.error({ reason }, "usergroups_unreadable");
      reported = reason;
      if (asOf === generation && known !== null && ageOf(known) > 2 * FRESH_MS) known = null;
    }
    if (asOf === generation) return known;
    return round < MOST_ROUNDS ? current(round + 1) : null;
  }

  return {
    forget(this: void): void {
      generation += 1;
      known = null;
      asking = null;
    },
    of: async (userId) => (await current())?.groupsByUser.get(userId) ?? new Set(),
  };
}

function ageOf({ askedAt }: Snapshot): number {
  return Date.now() - askedAt;
}

function readMembers(response: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  const groupsByUser = new Map<string, Set<string>>();
  for (const group of List.parse(response).usergroups) {
    if ((group.date_delete ?? 0) !== 0 || group.is_external === true) continue;
    for (const user of group.users ?? []) groupsByUser.set(user, (groupsByUser.get(user) ?? new Set()).add(group.id));
  }
  return groupsByUser;
}
