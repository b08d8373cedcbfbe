import { createQdrantPassageStore } from "../../src/store/qdrant-passage-store.ts";
import { exampleHeader, exampleRunbook } from "../fakes/example-index.ts";

// Run by a test, which kills it: sends a first batch of points and then waits for runbooks that never come.
const url = process.argv[2] ?? "";
const store = createQdrantPassageStore({ url, apiKey: null, collection: "runbooks" });
const many = await exampleRunbook({ sections: Array.from({ length: 600 }, (_, index) => `Step ${index}.`) });

await store.publish(
  exampleHeader({ indexedAt: new Date().toISOString() }),
  new Set(),
  (async function* runbooks() {
    yield many;
    process.stdout.write("sent\n");
    setInterval(() => process.stdout.write("waiting\n"), 100);
    await new Promise(() => {});
  })(),
);
