/** Who and what there is in the stand-in's workspace; fields as Slack's API names them. Change it while it runs. */
export interface SlackUser {
  id: string;
  name: string;
  team_id: string;
  real_name?: string;
  /** A deactivated user's record comes without the guest flags, whatever stands here. */
  deleted?: boolean;
  is_bot?: boolean;
  is_restricted?: boolean;
  is_ultra_restricted?: boolean;
}

export interface SlackUsergroup {
  id: string;
  handle: string;
  users: string[];
  date_delete?: number;
  is_external?: boolean;
}

export interface SlackChannel {
  id: string;
  name: string;
  kind: "channel" | "group" | "im" | "mpim";
  members: string[];
  is_ext_shared?: boolean;
  is_pending_ext_shared?: boolean;
  is_archived?: boolean;
}

export interface SlackBotIdentity {
  userId: string;
  botId: string;
  appId: string;
  /** `runbook-bot` when left out. */
  name?: string;
  botToken: string;
  appToken: string;
  signingSecret: string;
  scopes: string[];
  /** Event subscriptions as in the app manifest (`message.channels`, …); left out: all of them. */
  events?: string[];
}

export interface SlackWorld {
  teamId: string;
  /** `acme` when left out. */
  domain?: string;
  /** Left out: the workspace belongs to no enterprise. */
  enterpriseId?: string;
  /** User groups exist on paid plans only. `paid` when left out. */
  plan?: "paid" | "free";
  users: SlackUser[];
  usergroups: SlackUsergroup[];
  channels: SlackChannel[];
  bot: SlackBotIdentity;
}

/** A message as it stands in a channel; `visibleTo` names the only reader of an ephemeral one. */
export interface SlackMessageRecord {
  channel: string;
  ts: string;
  thread_ts?: string;
  user: string;
  bot_id?: string;
  app_id?: string;
  subtype?: string;
  text: string;
  blocks?: unknown[];
  attachments?: unknown[];
  files?: unknown[];
  metadata?: unknown;
  edited?: { user: string; ts: string };
  reactions?: { name: string; users: string[]; count: number }[];
  visibleTo?: string;
}

/**
 * What the bot calls needs. `im:read` and `mpim:read` are for `conversations.info` in direct messages: Slack answers
 * `missing_scope` without them (microsoft/BotFramework-Composer#9412).
 */
export const BOT_SCOPES = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "groups:history",
  "groups:read",
  "im:history",
  "im:read",
  "mpim:history",
  "mpim:read",
  "usergroups:read",
  "users:read",
];

export function exampleUser(id: string, name: string, overrides: Partial<SlackUser> = {}): SlackUser {
  return {
    id,
    name,
    team_id: "T0ACME",
    deleted: false,
    is_bot: false,
    is_restricted: false,
    is_ultra_restricted: false,
    ...overrides,
  };
}

export function exampleBot(): SlackBotIdentity {
  return {
    userId: "U0RUNBOT",
    botId: "B0RUNBOT",
    appId: "A0RUNBOT",
    botToken: ["xoxb", "stand-in"].join("-"),
    appToken: ["xapp", "stand-in"].join("-"),
    signingSecret: "stand-in-signing-secret",
    scopes: [...BOT_SCOPES],
  };
}
