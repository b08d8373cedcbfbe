import { parseDocument } from "yaml";

import { audienceFor, type Place, type Principal } from "../../src/access/audience.ts";
import { parseAccessFile } from "../../src/access/read-access-file.ts";
import { createRandom } from "../../src/evaluation/seeded-random.ts";
import { measure, type Row } from "./measure.ts";

const SERVICES = 5000;
const GROUPS = 500;
const USERS = 20_000;
const CHANNELS = 1000;
const MEMBERS_EACH = 80;
const DECISIONS = 5000;

/** Who may see what in a large company: reading its access file, and one decision after the other. */
export async function measureAccess(): Promise<Row[]> {
  const text = writeAccessFile();
  const load = await measure(5, () => parseAccessFile(text, "access.yaml"));
  const peer = await measure(3, () => parseDocument(text).toJS({ maxAliasCount: 100 }) as unknown);
  const policy = parseAccessFile(text, "access.yaml");

  const random = createRandom(5);
  const pick = (most: number) => Math.floor(random() * most);
  const somebody = (): Principal => ({ userId: userId(pick(USERS)), standing: "member", usergroups: new Set() });
  const admin: Principal = { userId: userId(0), standing: "member", usergroups: new Set(["S0ALL"]) };
  const channel = (): Place => ({
    channelId: channelId(pick(CHANNELS)),
    kind: "channel",
    shared: false,
    members: null,
  });
  const group = (): Place => ({
    channelId: "G0GROUP",
    kind: "group_direct_message",
    shared: false,
    members: Array.from({ length: 8 }, somebody),
  });
  const inChannel = await measure(DECISIONS, () => audienceFor(policy, somebody(), channel()));
  const inGroup = await measure(DECISIONS, () => audienceFor(policy, somebody(), group()));
  const ofAdmin = await measure(DECISIONS, () => audienceFor(policy, admin, channel()));
  const ofPath = await measure(DECISIONS, (run) =>
    policy.serviceOfPath(`team-${run % GROUPS}/service-${run % SERVICES}/page-${run}.md`),
  );
  const size = `${(text.length / 1e6).toFixed(1)} MB`;
  return [
    { what: "reading and checking the access file", ...load, note: `${size}; goal: < 500 ms` },
    { what: "the same by the package yaml, unchecked", ...peer, note: "the YAML alone" },
    { what: "decision in a channel", ...inChannel, note: "goal: p99 < 2 ms" },
    { what: "decision in a group message of nine", ...inGroup, note: "" },
    { what: "decision for somebody who may see all", ...ofAdmin, note: `${SERVICES} services` },
    { what: "service of a runbook's path, first time", ...ofPath, note: "" },
  ];
}

function writeAccessFile(): string {
  const lines = ["services:"];
  for (let service = 0; service < SERVICES; service += 1) {
    const owner = `group-${service % GROUPS}`;
    const everyone = service % 50 === 0 ? ", everyone" : "";
    lines.push(
      `  service-${service}:`,
      `    aliases: [alias ${service}, s${service}]`,
      `    owner: ${owner}`,
      `    runbooks: ["team-${service % GROUPS}/service-${service}/**/*.md", "alerts/Service${service}-*.md"]`,
      `    readers: [${owner}, group-${(service * 7) % GROUPS}, all${everyone}]`,
    );
  }
  lines.push("groups:", "  all: { slack_usergroup: S0ALL }");
  for (let group = 0; group < GROUPS; group += 1) {
    const members = Array.from({ length: MEMBERS_EACH }, (_, member) => userId((group * 41 + member * 7) % USERS));
    lines.push(`  group-${group}: { members: [${members.join(", ")}] }`);
  }
  lines.push("channels:");
  for (let channel = 0; channel < CHANNELS; channel += 1) {
    lines.push(`  ${channelId(channel)}: { services: [service-${channel * 5}, service-${channel * 5 + 1}] }`);
  }
  return `${lines.join("\n")}\n`;
}

const userId = (number: number) => `U${String(number).padStart(6, "0")}`;
const channelId = (number: number) => `C${String(number).padStart(6, "0")}`;
