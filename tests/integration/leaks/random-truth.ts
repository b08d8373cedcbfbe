/**
 * A world as plain data, and who may read what in it, written a second time from the README's table and with none of the
 * bot's own code: what the bot shows is judged by this.
 */
export interface Truth {
  readonly services: Map<string, { readers: string[]; folders: string[]; alias: string; owner: string }>;
  readonly groups: Map<string, { members: string[]; usergroup: string | null }>;
  readonly usergroups: Map<string, string[]>;
  readonly users: Map<string, "member" | "guest" | "foreign" | "deleted">;
  readonly channels: Map<
    string,
    { kind: "channel" | "im" | "mpim"; listed: string[]; shared: boolean; people: string[] }
  >;
  /** Every file as it is indexed: the service that the index gave it, and the words that only it has. */
  readonly pages: Map<string, { indexedAs: string; canaries: string[]; code: string }>;
}

export const ALERT_APP = "A0ALERTS";

export function accessFileOf({ services, groups, channels }: Truth): string {
  const owners = [...services.values()].map(({ owner }) => [owner, { members: ["U0OWNER"] }]);
  return JSON.stringify({
    services: Object.fromEntries(
      [...services].map(([name, { readers, folders, alias, owner }]) => [
        name,
        { aliases: [alias], owner, runbooks: folders.map((folder) => `${folder}/*.md`), readers },
      ]),
    ),
    groups: Object.fromEntries([
      ...owners,
      ["crew", { members: ["U0OWNER"] }],
      ...[...groups].map(([name, { members, usergroup }]) => [
        name,
        { members, ...(usergroup === null ? {} : { slack_usergroup: usergroup }) },
      ]),
    ]),
    channels: Object.fromEntries(
      [...channels]
        .filter(([, { kind, listed }]) => kind === "channel" && listed.length > 0)
        .map(([id, { listed }]) => [id, { services: listed, watch: true, answer_alerts_from: [ALERT_APP] }]),
    ),
    links: { url: "https://git.example.test/wiki/{path}#L{line}" },
    admins: ["crew"],
  });
}

export function mayRead(truth: Truth, user: string, service: string): boolean {
  const standing = truth.users.get(user);
  const readers = truth.services.get(service)?.readers;
  if (readers === undefined || standing === undefined || standing === "deleted") return false;
  if (readers.includes(user)) return true;
  if (readers.includes("everyone") && standing === "member") return true;
  return [...truth.groups].some(([name, { members, usergroup }]) => {
    if (!readers.includes(name)) return false;
    const viaSlack = usergroup !== null && (truth.usergroups.get(usergroup) ?? []).includes(user);
    return members.includes(user) || (standing === "member" && viaSlack);
  });
}

/** What everyone in a channel may be shown when this person asks there; null: an alert, which nobody asks. */
export function mayShow(truth: Truth, channelId: string, asker: string | null, service: string): boolean {
  const channel = truth.channels.get(channelId);
  if (channel === undefined || (asker !== null && !mayRead(truth, asker, service))) return false;
  switch (channel.kind) {
    case "im":
      return true;
    case "mpim":
      return channel.people.every((person) => mayRead(truth, person, service));
    case "channel": {
      const toEveryone = truth.services.get(service)?.readers.includes("everyone") === true && !channel.shared;
      return channel.listed.includes(service) || toEveryone;
    }
  }
}

/** The service of a page: today's access file and the index must agree, and only one may claim it. */
export function serviceOfPage(truth: Truth, path: string): string | null {
  const folder = path.split("/")[0] ?? "";
  const claimed = [...truth.services].filter(([, { folders }]) => folders.includes(folder)).map(([name]) => name);
  const [only] = claimed;
  return only !== undefined && claimed.length === 1 && only === truth.pages.get(path)?.indexedAs ? only : null;
}

/** Words that a reader who may see only some services must not meet, besides those that were said to the bot. */
export function forbiddenWords(truth: Truth, maySee: (service: string) => boolean, said: string): string[] {
  const words: string[] = [];
  for (const [name, { alias, owner, folders }] of truth.services) {
    if (!maySee(name)) words.push(name, alias, owner, ...folders.map((folder) => `${folder}/`));
  }
  for (const [path, { canaries, code }] of truth.pages) {
    const service = serviceOfPage(truth, path);
    if (service === null || !maySee(service)) words.push(...canaries, code, path.replace(/\.md$/, ""));
  }
  return words.filter((word) => !holds(said, word));
}

/** A word counts as a whole: one service's name may begin another's. */
export function holds(text: string, word: string): boolean {
  if (!text.toLowerCase().includes(word.toLowerCase())) return false;
  const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_-])${escaped}(?![\p{L}\p{N}_-])`, "iu").test(text);
}
