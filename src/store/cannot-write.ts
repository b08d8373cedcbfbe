import { PipelineError } from "../errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  EFBIG: "the file would grow beyond what is allowed; raise the limit",
  EROFS: "the file system is read-only; set DATA_DIR to a directory that can be written",
  EACCES: "no permission; set DATA_DIR to a directory that this user may write",
  EPERM: "no permission; set DATA_DIR to a directory that this user may write",
  ENOTDIR: "a part of the path is a file; set DATA_DIR to a directory",
};
/** SQLite's own codes (https://www.sqlite.org/rescode.html): the low byte is the kind. */
const SQLITE_REASONS: Readonly<Record<number, string>> = { 8: "EROFS", 10: "", 13: "ENOSPC", 14: "" };

/** What could not be written and the way out, from an error of the file system or of SQLite. */
export function cannotWrite(path: string, cause: unknown, consequence = ""): PipelineError {
  const { code, errcode } = cause as { code?: string; errcode?: number };
  const known = errcode === undefined ? code : SQLITE_REASONS[errcode & 0xff];
  const reason = REASONS[known ?? ""] ?? (cause instanceof Error ? cause.message : String(cause));
  return new PipelineError("indexing", `${path} can't be written: ${reason}${consequence}`, { cause });
}
