import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const SLACK = join(ROOT, "src/slack");
const code = readdirSync(SLACK)
  .map((name) => readFileSync(join(SLACK, name), "utf8"))
  .join("\n");
const manifest = parse(readFileSync(join(ROOT, "manifest.yaml"), "utf8")) as {
  features: {
    app_home: { home_tab_enabled: boolean };
    shortcuts: { type: string; callback_id: string }[];
    slash_commands: { command: string }[];
  };
  oauth_config: { scopes: { bot: string[] } };
  settings: {
    event_subscriptions: { bot_events: string[] };
    interactivity: { is_enabled: boolean };
    org_deploy_enabled: boolean;
  };
};

/** What Slack's documentation asks for each method; conversations are channels, private channels, direct and group messages. */
const kinds = (right: "read" | "history") => ["channels", "groups", "im", "mpim"].map((kind) => `${kind}:${right}`);
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  "auth.test": [],
  "chat.postMessage": ["chat:write"],
  "chat.postEphemeral": ["chat:write"],
  "chat.update": ["chat:write"],
  "conversations.info": kinds("read"),
  "conversations.members": kinds("read"),
  "conversations.history": kinds("history"),
  "conversations.replies": kinds("history"),
  "usergroups.list": ["usergroups:read"],
  "users.conversations": ["channels:read", "groups:read"],
  "users.info": ["users:read"],
  "views.open": [],
  "views.publish": [],
};
const EVENT_SCOPES: Readonly<Record<string, readonly string[]>> = {
  app_mention: ["app_mentions:read"],
  "message.channels": ["channels:history"],
  "message.groups": ["groups:history"],
  "message.im": ["im:history"],
  "message.mpim": ["mpim:history"],
  subteam_members_changed: ["usergroups:read"],
  subteam_updated: ["usergroups:read"],
  channel_shared: ["channels:read", "groups:read"],
  channel_unshared: ["channels:read", "groups:read"],
};

const usedMethods = [
  ...new Set(
    [
      ...code.matchAll(
        /(?<!state)\.(auth|chat|conversations|usergroups|users|views|reactions|team|bots|files)\.(\w+)\(/g,
      ),
    ].map(([, area, name]) => `${area}.${name}`),
  ),
];
const listenedEvents = [
  ...[...code.matchAll(/app\.event\("(\w+)"/g)].map(([, name]) => name ?? ""),
  ...[...code.matchAll(/for \(const change of \[([^\]]+)\]/g)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []),
  ...(code.includes("app.message(") ? ["message.channels", "message.groups", "message.im", "message.mpim"] : []),
];

describe("the app manifest", () => {
  it("subscribes to the events that the code listens to, and no others", () => {
    expect(manifest.settings.event_subscriptions.bot_events.toSorted()).toEqual(listenedEvents.toSorted());
  });

  it("asks for the scopes that the code's calls and events need, and no others", () => {
    expect(usedMethods.filter((method) => SCOPES[method] === undefined)).toEqual([]);
    const needed = new Set([
      "commands",
      ...usedMethods.flatMap((method) => SCOPES[method] ?? []),
      ...listenedEvents.flatMap((event) => EVENT_SCOPES[event] ?? []),
    ]);

    expect(manifest.oauth_config.scopes.bot.toSorted()).toEqual([...needed].toSorted());
  });

  it("has the command, the shortcut, the Home tab and the buttons that the code answers", () => {
    const { features, settings } = manifest;
    const commands = [...code.matchAll(/app\.command\("([^"]+)"/g)].map(([, command]) => command);
    const shortcuts = [...code.matchAll(/\b[A-Z_]+ = "(find_runbook)"/g)].map(([, id]) => id);

    expect(features.slash_commands.map(({ command }) => command)).toEqual(commands);
    expect(features.shortcuts.map(({ callback_id: id }) => id)).toEqual(shortcuts);
    expect(code.match(/app\.shortcut\(/g)).toHaveLength(features.shortcuts.length);
    expect(features.app_home.home_tab_enabled).toBe(code.includes("app_home_opened"));
    expect(settings.interactivity.is_enabled).toBe(true);
  });

  it("is for one workspace: an org-wide install is not offered", () => {
    expect(manifest.settings.org_deploy_enabled).toBe(false);
  });
});
