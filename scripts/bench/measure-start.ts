import { spawn } from "node:child_process";
import { join } from "node:path";

import { createSlackStandIn } from "../../tests/fakes/slack/slack-stand-in.ts";
import { createDemoWorld } from "../demo/demo-world.ts";
import { quantiles, type Row } from "./measure.ts";
import { residentMegabytes } from "./process-memory.ts";

const STARTS = 5;

/** From starting `node src/main.ts` with an index in place to the line that says it is ready, and its memory then. */
export async function measureStart(dataDir: string): Promise<Row[]> {
  const slack = await createSlackStandIn(createDemoWorld());
  const { botToken, signingSecret } = slack.world.bot;
  const times: number[] = [];
  let megabytes = 0;
  try {
    for (let start = 0; start < STARTS; start += 1) {
      const started = performance.now();
      const bot = spawn(process.execPath, [join(import.meta.dirname, "../../src/main.ts")], {
        env: {
          ...process.env,
          SLACK_BOT_TOKEN: botToken,
          SLACK_SIGNING_SECRET: signingSecret,
          SLACK_API_URL: slack.apiUrl,
          SLACK_APP_TOKEN: "",
          PORT: String(21_000 + start),
          DATA_DIR: dataDir,
          LOG_LEVEL: "info",
        },
        stdio: ["ignore", "ignore", "pipe"],
      });
      const ended = new Promise((resolve) => bot.once("exit", resolve));
      await new Promise<void>((resolve, reject) => {
        bot.stderr.on("data", (data: Buffer) => {
          if (data.includes('"ready"')) resolve();
        });
        bot.once("exit", (code) => reject(new Error(`the bot ended with ${code} before it was ready`)));
      });
      times.push(performance.now() - started);
      megabytes = Math.max(megabytes, residentMegabytes(bot.pid));
      bot.kill("SIGTERM");
      await ended;
    }
  } finally {
    await slack.stop();
  }
  return [
    {
      what: `cold start to ready, ${STARTS} starts`,
      ...quantiles(times),
      note: `${megabytes.toFixed(0)} MB resident; goal: < 1500 ms, < 450 MB`,
    },
  ];
}
