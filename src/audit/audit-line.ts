import { z } from "zod";

export const AUDIT_FILE = "audit.jsonl";
/** Files that are full or old: the time in the name is that of their last line. */
export const ROTATED_FILE = /^audit-(\d{8}T\d{9}Z)\.jsonl$/;

/** One reply, as it was about to be posted: ids and versions, never a word of a message or a runbook. */
export const AuditLine = z.object({
  /** ISO 8601, UTC. */
  at: z.iso.datetime(),
  answer_id: z.string(),
  /** Null: an alert, which nobody asked about. */
  user: z.string().nullable(),
  channel: z.string(),
  thread: z.string().nullable(),
  kind: z.string(),
  outcome: z.string(),
  /** `everyone` who reads the channel, or the `asker` alone. */
  shown_to: z.enum(["everyone", "asker"]),
  /** What these readers were allowed. */
  services: z.array(z.string()),
  /** The runbooks that the reply quotes, links or names. */
  sources: z.array(z.string()),
  policy: z.string(),
  /** Null: nothing was searched. */
  index: z.string().nullable(),
});
export type AuditLine = z.infer<typeof AuditLine>;
