import { setTimeout as sleep } from "node:timers/promises";

/** Slack takes about one message a second and channel. */
const BETWEEN_POSTS_MS = 1000;

/** One after another and a second apart in each channel: a channel that must wait holds up no other. */
export function takeTurns(): <T>(channelId: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (channelId, work) => {
    const turn = (last.get(channelId) ?? Promise.resolve()).then(work);
    const after = rest(turn).then(() => {
      if (last.get(channelId) === after) last.delete(channelId);
      return undefined;
    });
    last.set(channelId, after);
    return turn;
  };
}

/** Over when the post is, and the second after it. */
async function rest(turn: Promise<unknown>): Promise<void> {
  await turn.catch(() => undefined);
  await sleep(BETWEEN_POSTS_MS, undefined, { ref: false });
}
