import type { Answer } from "../domain.ts";
import type { PostOptions } from "./post-message.ts";

/** An answer, and who is about to read it. */
export interface Shown {
  readonly answer: Answer;
  readonly to: "everyone" | "asker";
  /** Whose rights the answer was made with. */
  readonly allowed: "shared" | "caller";
}

export interface DeliveryOptions extends PostOptions {
  /** The bot can't see the place: what the asker gets comes with a hint how to change that. */
  readonly botIsOutside: boolean;
  /** Runs right before a reply is posted, once; what it throws keeps the reply from being posted. */
  readonly record: (shown: readonly Shown[]) => Promise<void>;
  /** Something stands in the channel now, in this thread. */
  readonly onPosted: (threadTs: string) => void;
}

export const forAll = (answer: Answer): Shown => ({ answer, to: "everyone", allowed: "shared" });
export const forAsker = (answer: Answer, allowed: Shown["allowed"]): Shown => ({ answer, to: "asker", allowed });

/** Rights first, then the record, then the post: what is recorded was allowed at that moment, and nothing else is shown. */
export function recorded(options: DeliveryOptions, shown: readonly Shown[]): DeliveryOptions {
  let isRecorded = false;
  return {
    ...options,
    async confirm() {
      await options.confirm();
      if (!isRecorded) await options.record(shown);
      isRecorded = true;
    },
  };
}
