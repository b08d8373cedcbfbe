import { comparePolicies, type PolicyComparison } from "../src/access/compare-policies.ts";
import type { AccessPolicy } from "../src/access/access-policy.ts";
import { audienceFor, type Place } from "../src/access/audience.ts";
import { explainChannel, explainPrincipal, explainRunbook } from "../src/access/explain-access.ts";
import { principalFromFile } from "../src/access/known-principal.ts";
import { readAccessFile } from "../src/access/read-access-file.ts";
import type { Config } from "../src/config.ts";
import { listRunbooks } from "../src/indexing/list-runbooks.ts";
import {
  describeChannel,
  describeChanges,
  describePerson,
  describeRunbook,
  toChangeJson,
  toChannelJson,
  toPersonJson,
  toRunbookJson,
} from "./describe-access.ts";
import { EXIT_DONE, runCommand, usageError } from "./run-command.ts";

/** `--diff` found something that the edit opens: somebody should look at it. */
const EXIT_GRANTS = 3;

await runCommand({
  help: `Usage: npm run access -- [--user USER] [--channel CHANNEL] [--json]
       npm run access -- --runbook PATH [--json]
       npm run access -- --diff OLD.yaml [--json]

Asks the access file (ACCESS_FILE, and the files of access.d/ beside it) who may see what, and which line says so. Without
Slack, a slack_usergroup has no members known. Without options it only checks the file.

  --user USER        what this person may see (U…), and why
  --channel CHANNEL  what this channel may show (C…), and why; with --user, what it would show to everyone when they ask
  --shared           the channel is shared with another workspace
  --runbook PATH     who may open the runbook at PATH, relative to RUNBOOKS_DIR
  --diff OLD.yaml    what the access file opens and closes compared with OLD.yaml
  --json             as JSON on stdout

Exit code: 0 done, 2 wrong arguments or access file, 3 --diff found something that is opened.
`,
  options: {
    user: { type: "string" },
    channel: { type: "string" },
    shared: { type: "boolean" },
    runbook: { type: "string" },
    diff: { type: "string" },
    json: { type: "boolean" },
  },
  async run(values, positionals, config) {
    const [stray] = positionals;
    if (stray !== undefined) throw usageError(`${stray}: unexpected; see --help`);
    const policy = readAccessFile(config.accessFile);
    const print = (json: object, text: string) =>
      process.stdout.write(values.json === true ? `${JSON.stringify({ policy: policy.version, ...json })}\n` : text);

    if (values.diff !== undefined) {
      const changes = await compareWith(values.diff, policy, config);
      print(toChangeJson(changes), describeChanges(changes));
      return changes.grants.length > 0 ? EXIT_GRANTS : EXIT_DONE;
    }
    if (values.runbook !== undefined) {
      const path = values.runbook.replace(/^\.\//, "");
      const found = explainRunbook(policy, path);
      print(toRunbookJson(path, found), describeRunbook(path, found));
      return EXIT_DONE;
    }
    const place = placeOf(values.channel, values.shared === true);
    const person = values.user === undefined ? null : explainUser(policy, values.user, place);
    const channel =
      place.channelId === null
        ? null
        : { id: place.channelId, isListed: policy.channels.has(place.channelId), shows: explainChannel(policy, place) };
    if (person === null && channel === null) {
      const { services, groups, channels } = policy;
      const counts = { services: services.size, groups: groups.size, channels: channels.size };
      const text = `${config.accessFile} is good: ${services.size} services, ${groups.size} groups, ${channels.size} channels`;
      print(counts, `${text} (version ${policy.version})\n`);
      return EXIT_DONE;
    }
    print(
      { ...(person === null ? {} : toPersonJson(person)), ...(channel === null ? {} : toChannelJson(channel)) },
      [person === null ? "" : describePerson(person), channel === null ? "" : describeChannel(channel)].join(""),
    );
    return EXIT_DONE;
  },
});

function placeOf(channel: string | undefined, shared: boolean): Place {
  const kind = channel === undefined ? "direct_message" : "channel";
  return { channelId: channel ?? null, kind, shared, members: null };
}

function explainUser(policy: AccessPolicy, userId: string, place: Place) {
  const principal = principalFromFile(policy, userId);
  const { shared, caller } = audienceFor(policy, principal, place);
  const usergroups = [...policy.groupsByUsergroup.keys()];
  return {
    userId,
    standing: principal.standing,
    sees: explainPrincipal(policy, principal),
    inChannel:
      place.channelId === null
        ? null
        : {
            toEveryone: [...shared].toSorted(),
            toThemAlone: [...caller].filter((service) => !shared.has(service)).toSorted(),
          },
    /** Whose members nobody knows here. */
    unknownUsergroups: usergroups.toSorted(),
  };
}

/** Without the runbooks at hand, every new glob counts as something that is opened. */
async function compareWith(path: string, policy: AccessPolicy, config: Config): Promise<PolicyComparison> {
  const before = readAccessFile(path);
  const paths = await listRunbooks(config.runbooksDir).then(
    ({ files }) => files.map((file) => file.path),
    () => [],
  );
  return comparePolicies(before, policy, paths);
}
