import { filterContract } from "./contract-filters.ts";
import { publishingContract } from "./contract-publishing.ts";
import { rankingContract } from "./contract-ranking.ts";
import { textContract } from "./contract-texts.ts";
import type { StorePlace } from "./example-store.ts";

/** What every store does; `createPlace` gives an empty place to keep indexes in. */
export function passageStoreContract(name: string, createPlace: () => Promise<StorePlace>): void {
  filterContract(name, createPlace);
  rankingContract(name, createPlace);
  textContract(name, createPlace);
  publishingContract(name, createPlace);
}
