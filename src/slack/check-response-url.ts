const SLACK_HOOKS = "hooks.slack.com";

/**
 * May an answer be sent to this address? Only Slack's own hooks, and the host that SLACK_API_URL names: whoever could make
 * the bot answer elsewhere would read what only the asker may see.
 */
export function isSlacksAddress(address: string, apiUrl: string): boolean {
  const api = new URL(apiUrl);
  const url = URL.parse(address);
  if (url === null || url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:" && (url.host === SLACK_HOOKS || url.host === `hooks.${api.host}`)) return true;
  return url.protocol === api.protocol && url.host === api.host;
}
