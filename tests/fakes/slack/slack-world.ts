/** Who and what there is in the stand-in's workspace; fields as Slack's API names them. */
export interface SlackUser {
  id: string;
  name: string;
  team_id: string;
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
  botToken: string;
  appToken: string;
  signingSecret: string;
  scopes: string[];
}

export interface SlackWorld {
  teamId: string;
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
  text: string;
  blocks?: unknown[];
  attachments?: unknown[];
  metadata?: unknown;
  visibleTo?: string;
}

export const BOT_SCOPES = [
  "app_mentions:read",
  "channels:history",
  "channels:read",
  "chat:write",
  "commands",
  "groups:history",
  "groups:read",
  "im:history",
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
