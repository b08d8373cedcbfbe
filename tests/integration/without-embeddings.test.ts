import { expect, it } from "vitest";

import { allowServices } from "../../src/access/allowed-services.ts";
import { createAnswering } from "../../src/create-answering.ts";
import { PipelineError } from "../../src/errors.ts";
import { createFakeEmbeddingModel } from "../fakes/fake-embedding-model.ts";
import { createWorld } from "../fakes/temporary-world.ts";

const ACCESS = `services:
  checkout: { owner: core, runbooks: ["**/*.md"], readers: [core] }
groups: { core: { members: [U0DAN] } }
`;
const RUNBOOKS = {
  "CheckoutPoolExhausted.md": "# Pool\n\n1. Count the connections.\n",
  "disk.md": "# Disk is full\n\n1. Delete old dumps of the ledger.\n",
};

it("answers names and links the rest by words alone while the embedding model is down, and says so", async () => {
  const world = await createWorld({ runbooks: RUNBOOKS, access: ACCESS });
  await world.index();
  const { policy, store } = world;
  const healthy = await createFakeEmbeddingModel();
  const embeddingModel = {
    ...healthy,
    embedQuery: () => Promise.reject(new PipelineError("dependency", "the embedding server did not answer")),
  };
  const answer = createAnswering({ policy: () => policy, store, embeddingModel, chat: null, modelBudgetMs: 8000 });
  const allowed = allowServices(["checkout"]);
  const ask = async (text: string) => (await answer({ text, thread: [] }, { shared: allowed, caller: allowed })).shared;

  expect(await ask("CheckoutPoolExhausted fires")).toMatchObject({
    kind: "answered",
    recommendation: { sourceIds: ["CheckoutPoolExhausted"] },
    warnings: [expect.stringMatching(/words alone/)],
  });
  expect(await ask("disk is full, old dumps?")).toMatchObject({
    kind: "no_match",
    closest: [{ sourceId: "disk" }],
    warnings: [expect.stringMatching(/words alone/)],
  });
  expect(await ask("who bakes the biscuits")).toMatchObject({ kind: "no_match", closest: [] });
});
