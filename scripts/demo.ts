import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { readAccessFile } from "../src/access/read-access-file.ts";
import { indexRunbooks } from "../src/indexing/index-runbooks.ts";
import { createEmbeddingModel } from "../src/models/create-embedding-model.ts";
import { openEmbeddingCache } from "../src/store/embedding-cache.ts";
import { createSqlitePassageStore } from "../src/store/sqlite-passage-store.ts";
import { createSlackStandIn } from "../tests/fakes/slack/slack-stand-in.ts";
import { createDemoWorld } from "./demo/demo-world.ts";
import { playIncident, playWithoutModel } from "./demo/play-incident.ts";
import { createPrinter } from "./demo/print-scene.ts";
import { startBrokenModel, startDemoBot } from "./demo/start-demo-bot.ts";
import { EXIT_DONE, runCommand } from "./run-command.ts";

const write = (text: string) => process.stdout.write(text);

await runCommand({
  help: `Usage: npm run demo

Plays an incident as several people against a stand-in for Slack on this machine: the real bot, the sample runbooks, no
account, key or server. Prints the threads as they would look.
`,
  options: {},
  async run(_values, _positionals, config) {
    // The demo shows the defaults, whatever is configured here.
    const models = { ...config.models, chatModel: null, embeddingModel: null };
    const policy = readAccessFile("access.yaml");
    const embeddingModel = await createEmbeddingModel(models);
    const store = createSqlitePassageStore(join(config.dataDir, "index.sqlite"));
    const cache = openEmbeddingCache(join(config.dataDir, "embeddings.sqlite"), embeddingModel.info);
    write("Indexing the sample runbooks …\n");
    const request = { directory: "runbooks", policy, store, embeddingModel, cache, full: false, skipBad: false };
    const { documents, chunks } = await indexRunbooks(request).finally(() => cache.close());
    write(
      `${documents.total} runbooks, ${chunks.total} chunks. A stand-in Slack and the real bot start on 127.0.0.1.\n`,
    );

    const directory = mkdtempSync(join(tmpdir(), "runbook-demo-"));
    const slack = await createSlackStandIn(createDemoWorld());
    const broken = await startBrokenModel();
    try {
      const printer = createPrinter(slack.world, write);
      const parts = { slack, policy, store, embeddingModel, statePath: join(directory, "state.sqlite") };
      const overSocket = await startDemoBot(parts, "socket", null);
      await playIncident(slack, printer);
      await overSocket.stop(5000);

      const overHttp = await startDemoBot(parts, "http", broken.models);
      await playWithoutModel(slack, printer);
      await overHttp.stop(5000);
    } finally {
      broken.stop();
      await slack.stop();
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    }
    write('Ask yourself: npm run ask -- --as U0ALICE "card payments are slow"\n');
    return EXIT_DONE;
  },
});
