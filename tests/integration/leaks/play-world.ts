import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parseAccessFile } from "../../../src/access/read-access-file.ts";
import type { AnswerAudience } from "../../../src/answering/answer-audience.ts";
import type { PassageStore } from "../../../src/store/passage-store.ts";
import { createBotWorld, type BotWorld } from "../../fakes/bot-world.ts";
import type { SlackMessageRecord } from "../../fakes/slack/slack-world.ts";
import { writeFiles } from "../../fakes/temporary-world.ts";
import { accessFileOf, ALERT_APP, forbiddenWords, holds, mayRead, mayShow, serviceOfPage } from "./random-truth.ts";
import {
  createRandom,
  createRandomWorld,
  randomQuestion,
  randomReaders,
  writePage,
  type Random,
  type RandomWorld,
} from "./random-world.ts";

export interface Played {
  readonly leaks: string[];
  /** Replies that showed a page. */
  readonly shown: number;
  readonly asked: number;
}

export interface PlaySettings {
  readonly seed: number;
  readonly store?: PassageStore;
  /** A fault of the bot, planted to see that it would be found. */
  readonly aroundStore?: (store: PassageStore) => PassageStore;
  readonly around?: (answer: AnswerAudience) => AnswerAudience;
}

interface Asked {
  readonly asker: string | null;
  readonly channelId: string;
  readonly text: string;
  readonly threadTs: string | null;
}

const QUESTIONS_EACH_PHASE = 3;
const PHASES = 3;

/** Plays one world: questions, edits in between and while an answer is on its way; every message is judged. */
export async function playWorld({ seed, around = (answer) => answer, ...given }: PlaySettings): Promise<Played> {
  const random = createRandom(seed);
  const world = createRandomWorld(random);
  let beforePost: (() => Promise<void>) | null = null;
  const bot = await createBotWorld({
    transport: "socket",
    world: world.slack,
    access: accessFileOf(world.truth),
    runbooks: Object.fromEntries(world.files),
    around: (answer) => {
      const faulty = around(answer);
      return async (message, audience) => {
        const answered = await faulty(message, audience);
        await beforePost?.();
        return answered;
      };
    },
    ...given,
  });
  const played = { leaks: [] as string[], shown: 0, asked: 0 };
  const said: string[] = [];
  const threads: { readonly channelId: string; readonly ts: string }[] = [];

  async function ask(): Promise<void> {
    const question = randomAsked(random, world, threads);
    said.push(question.text);
    const before = bot.slack.posted.length;
    const handled = bot.handled();
    const rootTs = await deliver(bot, question);
    if (rootTs !== null) threads.push({ channelId: question.channelId, ts: rootTs });
    await bot.slack
      .waitFor(() => bot.handled() > handled, 120_000)
      .catch(() => Promise.reject(new Error(`seed ${seed}: never done with ${JSON.stringify(question)}`)));
    played.asked += 1;
    // What somebody said earlier in the workspace may come back in a thread; nobody ever types a canary.
    const heard = said.join("\n");
    for (const message of bot.slack.posted.slice(before)) {
      const found = judge(world, question, message, heard);
      played.leaks.push(
        ...found.leaks.map((leak) => `seed ${seed}: ${leak} → ${JSON.stringify(message).slice(0, 600)}`),
      );
      if (found.showsPage) played.shown += 1;
      if (message.visibleTo === undefined && question.asker !== null) {
        threads.push({ channelId: message.channel, ts: message.thread_ts ?? message.ts });
      }
    }
  }

  try {
    for (let phase = 0; phase < PHASES; phase += 1) {
      for (let number = 0; number < QUESTIONS_EACH_PHASE; number += 1) await ask();
      beforePost = async () => {
        beforePost = null;
        await edit(random, world, bot);
      };
      await ask();
      beforePost = null;
      await edit(random, world, bot);
    }
    played.leaks.push(...judgeLog(seed, world, bot.logged()));
  } finally {
    await bot.stop();
    await bot.files.store.close();
    rmSync(bot.files.directory, { recursive: true, force: true });
  }
  return played;
}

function randomAsked(
  random: Random,
  { truth }: RandomWorld,
  threads: readonly { readonly channelId: string; readonly ts: string }[],
): Asked {
  const text = randomQuestion(random, { truth });
  const watched = [...truth.channels].filter(([, { kind, listed }]) => kind === "channel" && listed.length > 0);
  if (watched.length > 0 && random.chance(0.15)) {
    return { asker: null, channelId: random.pick(watched)[0], text: `[FIRING:1] ${text}`, threadTs: null };
  }
  if (threads.length > 0 && random.chance(0.35)) {
    const thread = random.pick(threads);
    const { people } = truth.channels.get(thread.channelId) ?? { people: [] };
    return { asker: random.pick(people), channelId: thread.channelId, text, threadTs: thread.ts };
  }
  const [channelId, { people }] = random.pick([...truth.channels]);
  return { asker: random.pick(people), channelId, text, threadTs: null };
}

/** Gives the `ts` of what was said, where it is a message. */
async function deliver({ slack }: BotWorld, { asker, channelId, text, threadTs }: Asked): Promise<string | null> {
  if (asker === null) {
    const app = { subtype: "bot_message", bot_id: "B0ALERTMGR", app_id: ALERT_APP };
    const { ts } = await slack.postAsApp(channelId, { ...app, attachments: [{ title: text, fallback: text }] });
    return ts;
  }
  const isDirect = channelId.startsWith("D");
  if (threadTs === null && !isDirect && text.length % 2 === 0) {
    await slack.type(asker, channelId, text);
    return null;
  }
  const mention = isDirect ? text : `<@U0RUNBOT> ${text}`;
  const { ts } = await slack.say(asker, channelId, mention, threadTs === null ? {} : { threadTs });
  return threadTs ?? ts;
}

/** One message of the bot, judged for everybody who can read it. */
function judge({ truth }: RandomWorld, { asker, channelId }: Asked, message: SlackMessageRecord, said: string) {
  const alone = message.visibleTo;
  const maySee = (service: string) =>
    alone === undefined ? mayShow(truth, channelId, asker, service) : mayRead(truth, alone, service);
  const text = JSON.stringify(message);
  const leaks = forbiddenWords(truth, maySee, said).filter((word) => holds(text, word));
  if (alone !== undefined && alone !== asker) leaks.push(`told ${alone} what ${asker ?? "an alert"} asked`);
  const showsPage = [...truth.pages.values()].some(({ canaries }) => canaries.some((word) => text.includes(word)));
  return { leaks, showsPage };
}

/** No page's words in the log, whoever may read them, and no question that failed. */
function judgeLog(seed: number, { truth }: RandomWorld, logged: string): string[] {
  const words = [...truth.pages.values()].flatMap(({ canaries, code }) => [...canaries, code]);
  const found = words.filter((word) => logged.includes(word)).map((word) => `seed ${seed}: the log says ${word}`);
  // The proof after the store's filter keeps a leak back; that it had to is a fault all the same.
  return logged.includes('"question_failed"') ? [...found, `seed ${seed}: a question failed`] : found;
}

/** Something changes: rights, groups, channels, paths, or the runbooks themselves. */
async function edit(random: Random, world: RandomWorld, bot: BotWorld): Promise<void> {
  const { truth, files } = world;
  const [name, service] = random.pick([...truth.services]);
  switch (random.below(7)) {
    case 0:
      service.readers = randomReaders(random);
      break;
    case 1: {
      const group = random.pick([...truth.groups.values()]);
      group.members = group.usergroup === null || random.chance(0.5) ? random.some([...truth.users.keys()]) : [];
      break;
    }
    case 2:
      for (const usergroup of bot.slack.world.usergroups) {
        usergroup.users = random.some([...truth.users.keys()]);
        truth.usergroups.set(usergroup.id, usergroup.users);
        await bot.slack.deliverEvent({ type: "subteam_members_changed", subteam_id: usergroup.id });
      }
      break;
    case 3: {
      const [id, channel] = random.pick([...truth.channels].filter(([, { kind }]) => kind === "channel"));
      channel.shared = !channel.shared;
      bot.slack.world.channels.find((known) => known.id === id)!.is_ext_shared = channel.shared;
      break;
    }
    case 4: {
      const channel = truth.channels.get(random.pick(["C0ONE", "C0TWO"]))!;
      channel.listed = random.some([...truth.services.keys()]);
      break;
    }
    case 5: {
      // A folder moves to another service, and nobody has indexed anew yet.
      const others = [...truth.services.values()].filter((other) => other !== service);
      const folder = service.folders.pop();
      if (folder !== undefined) random.pick(others).folders.push(folder);
      if (service.folders.length === 0) service.folders.push(`none-${name}`);
      break;
    }
    default: {
      // New texts, and an index of today's access file.
      for (const path of files.keys()) {
        const folder = path.split("/")[0] ?? "";
        const owner = [...truth.services].find(([, { folders }]) => folders.includes(folder))?.[0];
        if (owner === undefined) continue;
        writePage(random, world, owner, path);
        writeFileSync(join(bot.files.runbooksDir, path), files.get(path) ?? "");
      }
      writeFiles(bot.files.runbooksDir, Object.fromEntries(files));
      const policy = parseAccessFile(accessFileOf(truth), "access.yaml");
      bot.setPolicy(policy);
      await bot.files.index({ policy });
    }
  }
  bot.setPolicy(parseAccessFile(accessFileOf(truth), "access.yaml"));
  if ([...truth.pages.keys()].every((path) => serviceOfPage(truth, path) === null)) throw new Error("no page is left");
}
