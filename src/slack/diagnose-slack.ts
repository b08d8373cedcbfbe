import { readFileSync } from "node:fs";
import { join } from "node:path";

import { WebClient } from "@slack/web-api";
import { parse } from "yaml";
import { z } from "zod";

import type { AccessPolicy } from "../access/access-policy.ts";
import type { Config } from "../config.ts";
import { failure, fine, note, warning, type Finding } from "../operate/finding.ts";
import { errorCode, isDeadToken, refusalOf } from "./describe-error.ts";

const MANIFEST = join(import.meta.dirname, "../../manifest.yaml");
const TIMEOUT_MS = 8000;
const MOST_PAGES = 20;
/** Slack's signed requests are refused when they seem five minutes old. */
const MOST_SKEW_S = 300;
const WORRYING_SKEW_S = 60;

const Manifest = z.object({
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({ event_subscriptions: z.object({ bot_events: z.array(z.string()) }) }),
});
const AuthTest = z.looseObject({
  team: z.string().default("?"),
  user: z.string().default("?"),
  response_metadata: z.looseObject({ scopes: z.array(z.string()).optional() }).optional(),
});
const Conversations = z.looseObject({
  channels: z.array(z.looseObject({ id: z.string(), is_ext_shared: z.boolean().optional() })),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/** What Slack says of the bot: tokens, scopes, channels, and the time. Asks only, and posts nothing. */
export async function diagnoseSlack(settings: Config["slack"], policy: AccessPolicy | null): Promise<Finding[]> {
  const options = { slackApiUrl: settings.apiUrl, timeout: TIMEOUT_MS, retryConfig: { retries: 0 } };
  const client = new WebClient(settings.botToken ?? "", { ...options, rejectRateLimitedCalls: true });
  const manifest = Manifest.parse(parse(readFileSync(MANIFEST, "utf8")));
  const findings = [await checkTime(settings.apiUrl)];
  if (settings.appToken !== null) findings.push(await checkAppToken(settings.appToken, settings.apiUrl));
  if (settings.botToken === null) return findings;
  try {
    const { team, user, response_metadata: more } = AuthTest.parse(await client.auth.test());
    findings.push(fine("bot token", `${user} in ${team}`));
    findings.push(checkScopes(manifest.oauth_config.scopes.bot, more?.scopes ?? null));
    findings.push(
      note(
        "events",
        `Slack does not tell; compare with manifest.yaml: ${manifest.settings.event_subscriptions.bot_events.join(", ")}`,
      ),
    );
    if (policy !== null) findings.push(await checkChannels(client, policy, user));
  } catch (error) {
    findings.push(
      isDeadToken(refusalOf(error))
        ? failure(
            "bot token",
            `Slack refuses it (${errorCode(error)})`,
            "copy the Bot User OAuth Token from your app's page OAuth & Permissions into SLACK_BOT_TOKEN",
          )
        : failure(
            "bot token",
            `Slack could not be asked (${errorCode(error)})`,
            "look at SLACK_API_URL, the network and its proxy",
          ),
    );
  }
  return findings;
}

async function checkTime(apiUrl: string): Promise<Finding> {
  try {
    const response = await fetch(apiUrl, { method: "HEAD", signal: AbortSignal.timeout(TIMEOUT_MS) });
    const theirs = Date.parse(response.headers.get("date") ?? "");
    if (Number.isNaN(theirs)) return note("time", "Slack did not say what time it is");
    const skew = Math.round(Math.abs(Date.now() - theirs) / 1000);
    const what = `this clock and Slack's are ${skew} s apart`;
    const fix = "set the clock by NTP: Slack's requests are refused when they seem five minutes old";
    if (skew >= MOST_SKEW_S) return failure("time", what, fix);
    return skew >= WORRYING_SKEW_S ? warning("time", what, fix) : fine("time", what);
  } catch {
    return failure(
      "time",
      `${new URL(apiUrl).host} can't be reached`,
      "look at SLACK_API_URL, the network and its proxy",
    );
  }
}

async function checkAppToken(appToken: string, slackApiUrl: string): Promise<Finding> {
  const client = new WebClient(appToken, { slackApiUrl, timeout: TIMEOUT_MS, retryConfig: { retries: 0 } });
  try {
    // Gives an address to connect to, which nobody uses.
    await client.apps.connections.open({});
    return fine("app token", "Socket Mode can connect");
  } catch (error) {
    const fix =
      "make one with connections:write at Basic Information → App-Level Tokens, switch Socket Mode on, and set SLACK_APP_TOKEN";
    return failure("app token", `Slack refuses Socket Mode (${errorCode(error)})`, fix);
  }
}

function checkScopes(wanted: readonly string[], granted: readonly string[] | null): Finding {
  if (granted === null) return note("scopes", "Slack did not say which scopes the token has");
  const missing = wanted.filter((scope) => !granted.includes(scope));
  return missing.length === 0
    ? fine("scopes", `all ${wanted.length} are granted`)
    : failure(
        "scopes",
        `missing: ${missing.join(", ")}`,
        "paste manifest.yaml at your app's page App Manifest, and install the app again",
      );
}

async function checkChannels(client: WebClient, policy: AccessPolicy, botName: string): Promise<Finding> {
  try {
    const joined = new Set<string>();
    let cursor = "";
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const more = cursor === "" ? {} : { cursor };
      const types = "public_channel,private_channel";
      const { channels, response_metadata: next } = Conversations.parse(
        await client.users.conversations({ types, exclude_archived: true, limit: 200, ...more }),
      );
      for (const { id } of channels) joined.add(id);
      cursor = next?.next_cursor ?? "";
      if (cursor === "") break;
    }
    const outside = [...policy.channels.keys()].filter((id) => /^[CG]/.test(id) && !joined.has(id));
    return outside.length === 0
      ? fine("channels", `in ${joined.size}, among them all of the access file`)
      : warning(
          "channels",
          `in ${joined.size}; not in these of the access file: ${outside.join(", ")}`,
          `type /invite @${botName} there, or take them out of the access file`,
        );
  } catch (error) {
    return warning("channels", `Slack did not say where the bot is (${errorCode(error)})`, "run it again in a minute");
  }
}
