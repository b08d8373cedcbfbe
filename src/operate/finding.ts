/** What the doctor saw. `note`: nothing is wrong, or nobody can tell. */
export interface Finding {
  readonly check: string;
  readonly state: "ok" | "note" | "warning" | "failure";
  readonly what: string;
  /** What to do about it; null where nothing is. */
  readonly fix: string | null;
}

export const fine = (check: string, what: string): Finding => ({ check, state: "ok", what, fix: null });
export const note = (check: string, what: string): Finding => ({ check, state: "note", what, fix: null });
export const warning = (check: string, what: string, fix: string): Finding => ({ check, state: "warning", what, fix });
export const failure = (check: string, what: string, fix: string): Finding => ({ check, state: "failure", what, fix });
