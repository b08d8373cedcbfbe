import { channelOf, type Board } from "./board.ts";
import type { Delivery } from "./deliver.ts";
import type { Events } from "./events.ts";
import type { SlackUser } from "./slack-world.ts";

export interface Announce {
  /** Tell the bot by an event, as Slack does in a moment; otherwise it has to look. */
  readonly announce?: boolean;
}

/** What changes around the bot. Gives the deliveries of the events, if any were asked for. */
export interface WorldChanges {
  addToUsergroup(groupId: string, userId: string, options?: Announce): Promise<Delivery[]>;
  removeFromUsergroup(groupId: string, userId: string, options?: Announce): Promise<Delivery[]>;
  /** Another organisation joins the channel, or is invited (`pending`, which no event tells). */
  shareChannel(channelId: string, options?: Announce & { pending?: boolean }): Promise<Delivery[]>;
  unshareChannel(channelId: string, options?: Announce): Promise<Delivery[]>;
  setUser(userId: string, changes: Partial<SlackUser>): void;
  inviteBot(channelId: string): void;
  kickBot(channelId: string): void;
}

const OTHER_TEAM = "T0OTHER";

export function createWorldChanges(board: Board, events: Events): WorldChanges {
  const { world } = board;

  async function changeMembers(groupId: string, userId: string, joins: boolean, { announce = false }: Announce) {
    const group = world.usergroups.find(({ id }) => id === groupId);
    if (group === undefined) throw new Error(`the stand-in has no user group ${groupId}`);
    group.users = group.users.filter((id) => id !== userId);
    if (joins) group.users.push(userId);
    if (!announce) return [];
    const at = Math.floor(board.now() / 1000);
    const [added, removed] = joins ? [[userId], []] : [[], [userId]];
    return events.emit({
      type: "subteam_members_changed",
      subteam_id: groupId,
      team_id: world.teamId,
      date_previous_update: at - 60,
      date_update: at,
      added_users: added,
      added_users_count: added.length,
      removed_users: removed,
      removed_users_count: removed.length,
    });
  }

  return {
    addToUsergroup: (groupId, userId, options = {}) => changeMembers(groupId, userId, true, options),
    removeFromUsergroup: (groupId, userId, options = {}) => changeMembers(groupId, userId, false, options),
    async shareChannel(channelId, { announce = false, pending = false } = {}) {
      const channel = channelOf(world, channelId);
      if (pending) channel.is_pending_ext_shared = true;
      else Object.assign(channel, { is_ext_shared: true, is_pending_ext_shared: false });
      if (!announce || pending) return [];
      return events.emit({ type: "channel_shared", channel: channelId, connected_team_id: OTHER_TEAM });
    },
    async unshareChannel(channelId, { announce = false } = {}) {
      Object.assign(channelOf(world, channelId), { is_ext_shared: false, is_pending_ext_shared: false });
      const who = { previously_connected_team_id: OTHER_TEAM, is_ext_shared: false };
      return announce ? events.emit({ type: "channel_unshared", channel: channelId, ...who }) : [];
    },
    setUser(userId, changes) {
      const user = world.users.find(({ id }) => id === userId);
      if (user === undefined) throw new Error(`the stand-in has no user ${userId}`);
      Object.assign(user, changes);
    },
    inviteBot(channelId) {
      const { members } = channelOf(world, channelId);
      if (!members.includes(world.bot.userId)) members.push(world.bot.userId);
    },
    kickBot(channelId) {
      const channel = channelOf(world, channelId);
      channel.members = channel.members.filter((id) => id !== world.bot.userId);
    },
  };
}
