import { PipelineError } from "../errors.ts";

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; free some space",
  EDQUOT: "the disk quota is used up; free some space",
  EFBIG: "the file would grow beyond what is allowed; raise the limit",
  EROFS: "the file system is read-only; set DATA_DIR to a directory that can be written",
  EACCES: "no permission; set DATA_DIR to a directory that this user may write",
  EPERM: "no permission; set DATA_DIR to a directory that this user may write",
  EEXIST: "a file is in its place; set DATA_DIR to a directory",
  SQLITE_READONLY: "it is read-only; make it writable, or set DATA_DIR to a directory that this user may write",
  SQLITE_IOERR:
    "the disk refused it; it may be full, or the file bigger than is allowed: free some space, look at the disk",
  SQLITE_CANTOPEN: "it can't be opened or made; set DATA_DIR to a directory that this user may write",
  ENOTDIR: "a part of the path is a file; set DATA_DIR to a directory",
};
/** SQLite's own codes (https://www.sqlite.org/rescode.html): the low byte is the kind. */
const SQLITE_REASONS: Readonly<Record<number, string>> = {
  8: "SQLITE_READONLY",
  10: "SQLITE_IOERR",
  13: "ENOSPC",
  14: "SQLITE_CANTOPEN",
};

/** What could not be written and the way out, from an error of the file system or of SQLite. */
export function cannotWrite(path: string, cause: unknown, consequence = ""): PipelineError {
  const { code, errcode } = cause as { code?: string; errcode?: number };
  const known = errcode === undefined ? code : SQLITE_REASONS[errcode & 0xff];
  const reason = REASONS[known ?? ""] ?? (cause instanceof Error ? cause.message : String(cause));
  return new PipelineError("indexing", `${path} can't be written: ${reason}${consequence}`, { cause });
}
