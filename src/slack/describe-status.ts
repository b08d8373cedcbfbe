import { isAdmin, type Principal } from "../access/audience.ts";
import type { AllowedServices } from "../access/allowed-services.ts";
import type { AccessPolicy } from "../access/access-policy.ts";
import type { PolicyStatus } from "../access/watch-access-file.ts";
import type { IndexVersion } from "../store/passage-store.ts";
import { escapeLabel, escapeUpTo } from "./escape-text.ts";
import { renderReply, type SlackMessage } from "./render-answer.ts";

/** How the bot itself is doing. */
export interface Operations {
  readonly policyStatus: () => PolicyStatus;
  readonly currentIndex: () => Promise<IndexVersion | null>;
  /** Questions that are being answered. */
  readonly open: () => number;
}

const MOST_SERVICES = 40;
const MOST_PROBLEMS = 10;
const LONGEST_PROBLEM = 250;

/** `/runbook status`: what the asker may see; what is about everybody's runbooks is for admins. */
export async function describeStatus(
  operations: Operations,
  policy: AccessPolicy,
  principal: Principal,
  mayOpen: AllowedServices,
): Promise<SlackMessage> {
  const lines = ["I am running.", describeServices(mayOpen)];
  if (isAdmin(policy, principal)) lines.push(...(await describeForAdmins(operations, policy)));
  return renderReply([{ sentence: lines.join("\n") }], { linkTemplate: null, answerId: "" });
}

export function describeServices(mayOpen: AllowedServices): string {
  const names = [...mayOpen].toSorted();
  if (names.length === 0) return "You may open no runbooks yet; ask whoever looks after the access file.";
  const more = names.length > MOST_SERVICES ? ` and ${names.length - MOST_SERVICES} more` : "";
  return `You may open the runbooks of: ${names.slice(0, MOST_SERVICES).map(escapeLabel).join(", ")}${more}.`;
}

async function describeForAdmins({ policyStatus, currentIndex, open }: Operations, policy: AccessPolicy) {
  const { state, since, problems } = policyStatus();
  const index = await currentIndex();
  return [
    `*Access file*: ${state}, policy ${policy.version}, for ${describeAge(Date.now() - since)}`,
    ...problems.slice(0, MOST_PROBLEMS).map((problem) => `• ${escapeUpTo(problem, LONGEST_PROBLEM)}`),
    ...(problems.length > MOST_PROBLEMS ? [`• and ${problems.length - MOST_PROBLEMS} more: \`npm run access\``] : []),
    index === null
      ? "*Index*: none yet; run `npm run reindex`"
      : `*Index*: ${escapeLabel(index.version)}, ${index.documents} runbooks, made ${describeAge(Date.now() - Date.parse(index.indexedAt))} ago${index.complete ? "" : ", incomplete: bad files were skipped"}`,
    ...(index !== null && index.policyVersion !== policy.version
      ? ["The access file changed since the index was made. Paths that moved need `npm run reindex`."]
      : []),
    `*Open questions*: ${open()}`,
  ];
}

export function describeAge(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1440)} days`;
}
