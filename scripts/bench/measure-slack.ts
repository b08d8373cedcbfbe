import { join } from "node:path";

import type { AccessPolicy } from "../../src/access/access-policy.ts";
import type { EmbeddingModel } from "../../src/models/embedding-model.ts";
import type { PassageStore } from "../../src/store/passage-store.ts";
import { createSlackStandIn } from "../../tests/fakes/slack/slack-stand-in.ts";
import { ALICE, createDemoWorld, INCIDENT } from "../demo/demo-world.ts";
import { startDemoBot } from "../demo/start-demo-bot.ts";
import { quantiles, type Row } from "./measure.ts";

const COMMANDS = 50;

/** How long Slack waits for its acknowledgement when fifty people type at once, over HTTP and Socket Mode. */
export async function measureAcks(
  directory: string,
  parts: { readonly policy: AccessPolicy; readonly store: PassageStore; readonly embeddingModel: EmbeddingModel },
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const transport of ["http", "socket"] as const) {
    const slack = await createSlackStandIn(createDemoWorld());
    const statePath = join(directory, `state-${transport}.sqlite`);
    const bot = await startDemoBot({ ...parts, slack, statePath }, transport, null);
    await slack.type(ALICE, INCIDENT, "warm up: checkout cannot reach its database");
    await slack.settle(1500);
    const asked = Array.from({ length: COMMANDS }, (_, number) =>
      slack.type(ALICE, INCIDENT, `checkout cannot reach its database ${number}`),
    );
    const deliveries = await Promise.all(asked);
    const retried = deliveries.filter(({ attempts }) => attempts > 1).length;
    const figures = quantiles(deliveries.map(({ ackMs }) => ackMs));
    rows.push({
      what: `acknowledgement of ${COMMANDS} commands at once, ${transport}`,
      ...figures,
      note: `${retried} retried by Slack`,
    });
    await bot.stop(1000);
    await slack.stop();
  }
  return rows;
}
