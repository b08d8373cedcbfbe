import type { AccessPolicy } from "./access-policy.ts";
import type { Principal } from "./audience.ts";

/**
 * A person without Slack: a full member when the access file lists the user id anywhere, else unknown (sees nothing). A
 * `slack_usergroup` has no members here.
 */
export function principalFromFile(policy: AccessPolicy, userId: string): Principal {
  const listed = policy.groupsByMember.has(userId) || policy.servicesByReader.has(userId);
  return { userId, standing: listed ? "member" : "unknown", usergroups: new Set() };
}
