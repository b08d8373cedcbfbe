import { allowServices } from "../../src/access/allowed-services.ts";
import type { IndexedRunbook, PassageStore, SearchResult } from "../../src/store/passage-store.ts";
import {
  exampleHeader,
  exampleQuery,
  exampleRunbook,
  streamRunbooks,
  type ExampleRunbook,
} from "../fakes/example-index.ts";

/** A place where indexes are kept; every `open` gives another instance of the store on it. */
export interface StorePlace {
  open(): PassageStore;
}

export const NONE: ReadonlySet<string> = new Set();
export const checkout = allowServices(["checkout-api"]);
export const both = allowServices(["checkout-api", "payroll"]);

export async function build(...runbooks: ExampleRunbook[]): Promise<IndexedRunbook[]> {
  return Promise.all(runbooks.map((runbook) => exampleRunbook(runbook)));
}

export async function publish(store: PassageStore, ...runbooks: ExampleRunbook[]) {
  return store.publish(exampleHeader(), NONE, streamRunbooks(...(await build(...runbooks))));
}

export async function search(
  store: PassageStore,
  words: string,
  services: Iterable<string> = ["checkout-api"],
  limit = 10,
) {
  return store.search(await exampleQuery(words), allowServices(services), limit);
}

export function idsOf({ runbooks }: SearchResult): string[] {
  return runbooks.map(({ runbook }) => runbook.sourceId);
}

/** Everything a reader could see of a result, to the last digit. */
export function bytesOf({ runbooks, termIdf }: SearchResult): string {
  const shown = runbooks.map((runbook) => ({
    ...runbook,
    chunks: runbook.chunks.map((chunk) => ({ ...chunk, matchedTerms: [...chunk.matchedTerms] })),
  }));
  return JSON.stringify({ shown, termIdf: [...termIdf] });
}

export const CHECKOUT = { sourceId: "checkout-database", service: "checkout-api" };
export const LATENCY = {
  sourceId: "checkout-latency",
  service: "checkout-api",
  title: "Slow checkout",
  sections: ["Look at the queue depth of the worker.", "Restart the slowest worker."],
};
export const PAYROLL = {
  sourceId: "payroll-run",
  service: "payroll",
  title: "Payroll run",
  sections: ["Stop the payroll run: `payctl stop`.", "The zanzibar ledger holds the open connections."],
};
