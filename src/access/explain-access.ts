import { EVERYONE, type AccessPolicy } from "./access-policy.ts";
import type { AccessLocation } from "./access-sources.ts";
import { audienceFor, servicesOfPrincipal, type Place, type Principal } from "./audience.ts";

/** One line of the access file that opens something. */
export interface Reason {
  readonly rule: "user" | "everyone" | "members" | "slack_usergroup" | "channel";
  /** What that line names: a user, a group, `everyone` or a channel. */
  readonly name: string;
  /** Where the service (or the channel) names it. */
  readonly at: AccessLocation;
  /** For a group: where the group takes the person in. */
  readonly memberAt: AccessLocation | null;
}

export interface OpenService {
  readonly service: string;
  /** Each of them is enough. */
  readonly because: readonly Reason[];
}

/** What one person may see, by the same rule that answers questions, and every line that opens it. */
export function explainPrincipal(policy: AccessPolicy, principal: Principal): OpenService[] {
  const allowed = servicesOfPrincipal(policy, principal);
  return [...allowed].toSorted().map((service) => ({ service, because: findReasons(policy, service, principal) }));
}

function findReasons(policy: AccessPolicy, service: string, { userId, standing, usergroups }: Principal): Reason[] {
  const readers = policy.services.get(service)?.readers ?? [];
  return readers.flatMap((reader, index): Reason[] => {
    const at = () => policy.locate(["services", service, "readers", index]);
    if (reader === userId) return [{ rule: "user", name: reader, at: at(), memberAt: null }];
    if (reader === EVERYONE && standing === "member") {
      return [{ rule: "everyone", name: EVERYONE, at: at(), memberAt: null }];
    }
    const group = policy.groups.get(reader);
    if (group === undefined) return [];
    const keys = ["groups", reader];
    const found: Reason[] = [];
    if (group.members.has(userId)) {
      const member = [...group.members].indexOf(userId);
      const memberAt = policy.locate([...keys, "members", member]);
      found.push({ rule: "members", name: reader, at: at(), memberAt });
    }
    if (standing === "member" && group.slackUsergroup !== null && usergroups.has(group.slackUsergroup)) {
      const memberAt = policy.locate([...keys, "slack_usergroup"]);
      found.push({ rule: "slack_usergroup", name: reader, at: at(), memberAt });
    }
    return found;
  });
}

/** What a channel may show whoever asks, and every line that lets it. */
export function explainChannel(policy: AccessPolicy, place: Place): OpenService[] {
  // An alert has no asker: what it would show is what the place may show.
  const { shared } = audienceFor(policy, null, place);
  const listed = place.channelId === null ? [] : (policy.channels.get(place.channelId)?.services ?? []);
  return [...shared].toSorted().map((service) => {
    const channel = place.channelId ?? "";
    const inChannel = listed.flatMap((name, index): Reason[] => {
      if (name !== service) return [];
      const at = policy.locate(["channels", channel, "services", index]);
      return [{ rule: "channel", name: channel, at, memberAt: null }];
    });
    const readers = place.shared ? [] : (policy.services.get(service)?.readers ?? []);
    const everyone = readers.flatMap((reader, index): Reason[] => {
      if (reader !== EVERYONE) return [];
      return [
        {
          rule: "everyone",
          name: EVERYONE,
          at: policy.locate(["services", service, "readers", index]),
          memberAt: null,
        },
      ];
    });
    return { service, because: [...inChannel, ...everyone] };
  });
}

export interface RunbookReaders {
  /** Null: no service, or several, take the path; nobody may open it then. */
  readonly service: string | null;
  readonly readers: readonly {
    readonly reader: string;
    readonly kind: "everyone" | "user" | "group";
    readonly at: AccessLocation;
    /** Of a group. */
    readonly members: readonly string[];
    readonly slackUsergroup: string | null;
  }[];
  /** Channels that may show it, besides what `everyone` opens to all internal ones. */
  readonly channels: readonly { readonly channel: string; readonly at: AccessLocation }[];
}

/** Who may open the runbook at a path (relative to RUNBOOKS_DIR). */
export function explainRunbook(policy: AccessPolicy, path: string): RunbookReaders {
  const service = policy.serviceOfPath(path);
  if (service === null) return { service, readers: [], channels: [] };
  const readers = (policy.services.get(service)?.readers ?? []).map((reader, index) => {
    const group = policy.groups.get(reader);
    return {
      reader,
      kind: kindOf(reader, group !== undefined),
      at: policy.locate(["services", service, "readers", index]),
      members: [...(group?.members ?? [])],
      slackUsergroup: group?.slackUsergroup ?? null,
    };
  });
  const channels = [...policy.channels].flatMap(([channel, { services }]) => {
    const index = services.indexOf(service);
    return index < 0 ? [] : [{ channel, at: policy.locate(["channels", channel, "services", index]) }];
  });
  return { service, readers, channels };
}

function kindOf(reader: string, isGroup: boolean): "everyone" | "user" | "group" {
  if (reader === EVERYONE) return "everyone";
  return isGroup ? "group" : "user";
}
