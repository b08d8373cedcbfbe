import { readFileSync } from "node:fs";

/** Resident memory of another process now, MB; from /proc, 0 where there is none. */
export function residentMegabytes(pid: number | undefined): number {
  return readStatus(pid, "VmRSS");
}

/** The most resident memory that a process ever had, MB. */
export function peakMegabytes(pid: number | undefined): number {
  return readStatus(pid, "VmHWM");
}

function readStatus(pid: number | undefined, field: string): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}
