import { z } from "zod";

export const USER_ID = /^[UW][A-Z0-9]{2,}$/;
const name = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._/ -]*$/u, "must be a name of letters, digits, blank and . _ - /");

/** The access file as people write it; several files below `access.d/` are merged into one before they get here. */
export const AccessFile = z.strictObject({
  services: z.record(
    name,
    z.strictObject({
      aliases: z.array(z.string().trim().min(1)).optional(),
      owner: name,
      runbooks: z.array(z.string().min(1)).min(1),
      readers: z.array(z.string()),
    }),
  ),
  groups: z
    .record(
      name,
      z
        .strictObject({
          slack_usergroup: z
            .string()
            .regex(/^S[A-Z0-9]+$/, "must be a Slack user group id (S…)")
            .optional(),
          members: z.array(z.string().regex(USER_ID, "must be a Slack user id (U… or W…)")).optional(),
        })
        .refine((group) => group.slack_usergroup !== undefined || group.members !== undefined, {
          message: "needs slack_usergroup or members",
        }),
    )
    .optional(),
  channels: z
    .record(
      z.string().regex(/^[CGD][A-Z0-9]+$/, "must be a Slack channel id (C…)"),
      z.strictObject({
        services: z.array(z.string()),
        answer_alerts_from: z
          .array(z.string().regex(/^[AB][A-Z0-9]+$/, "must be an app id (A…) or a bot id (B…)"))
          .optional(),
        watch: z.boolean().optional(),
      }),
    )
    .optional(),
  links: z
    .strictObject({
      url: z
        .string()
        .regex(/^https?:\/\/[^\s<>|"]+$/, "must be an http(s) address")
        .includes("{path}", { message: "must contain {path}" }),
    })
    .optional(),
  admins: z.array(z.string()).optional(),
  glossary: z.record(z.string().min(1), z.array(z.string().min(1))).optional(),
});
export type AccessFile = z.infer<typeof AccessFile>;
