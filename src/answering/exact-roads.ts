import type { AllowedServices } from "../access/allowed-services.ts";
import type { FocusedQuery } from "../domain.ts";
import type { PassageStore, RankedRunbook } from "../store/passage-store.ts";
import { findIdentifiers } from "./find-evidence.ts";

/** How a runbook was found: a link that leads to it, its name said, or the search. */
export type Road = "link" | "name" | "search";

const MOST_LINKS = 5;
const MOST_SEGMENTS = 6;
/** `disk-almost-full`, `etcd_no_leader`: names of three parts and more that are no CamelCase. */
const JOINED_NAME = /(?<![\p{L}\p{N}_-])\p{L}[\p{L}\p{N}]*(?:[_-][\p{L}\p{N}]+){2,}(?![\p{L}\p{N}_-])/gu;
const SHORTEST_NAME = 6;

/**
 * The runbooks that the message's links lead to: an address names one when its path ends with the runbook's. Looked up
 * behind the same filter as the search, so that a link to a hidden runbook is a link to nothing.
 */
export async function followLinks(
  links: readonly string[],
  store: PassageStore,
  allowedServices: AllowedServices,
): Promise<RankedRunbook[]> {
  const sourceIds = [...new Set(links.slice(0, MOST_LINKS).flatMap(possibleSourceIds))];
  if (sourceIds.length === 0) return [];
  const runbooks = await store.findRunbooks(sourceIds, allowedServices);
  return Promise.all(
    runbooks.map(async (runbook) => {
      const parts = { chunkCosine: 0, summaryCosine: 0, chunkKeywords: 0, runbookKeywords: 0 };
      const chunks = await store.chunksOf(runbook.sourceId, allowedServices);
      const rank = { score: 0, parts, matchedTerms: new Map<string, number>() };
      return { runbook, score: 0, parts, chunks: chunks.map((chunk) => ({ chunk, ...rank })) };
    }),
  );
}

/** `…/blob/main/alerts/disk.md#L7` may be `disk`, `alerts/disk`, `main/alerts/disk`, … */
function possibleSourceIds(link: string): string[] {
  const { pathname } = URL.parse(link) ?? { pathname: "" };
  const segments = decode(pathname)
    .replace(/\.(?:md|html?)$/i, "")
    .split("/")
    .filter((segment) => segment !== "");
  return segments.map((_, index) => segments.slice(index).join("/")).slice(-MOST_SEGMENTS);
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/**
 * Does the question say the runbook's own name: an alert's or another joined name that is its file's name, its title or
 * one of its headings? A service's name says which product, not which page.
 */
export function saysItsName(query: FocusedQuery, { runbook, chunks }: RankedRunbook): boolean {
  const asked = [query.words, ...query.earlier].join("\n");
  const identifiers = findIdentifiers(asked).map(foldName);
  const joined = [...asked.matchAll(JOINED_NAME)].map(([name]) => foldName(name));
  const file = foldName((runbook.path.split("/").at(-1) ?? "").replace(/\.md$/i, ""));
  const isMeant = (name: string) => name.length >= SHORTEST_NAME && name !== foldName(runbook.service);
  if (
    [...identifiers, ...joined].some((name) => isMeant(name) && (name === file || name === foldName(runbook.title)))
  ) {
    return true;
  }
  const headings = new Set(chunks.flatMap(({ chunk }) => chunk.headingTrail.map(foldName)));
  return identifiers.some((name) => isMeant(name) && headings.has(name));
}

function foldName(name: string): string {
  return name
    .normalize("NFKC")
    .replace(/[^\p{L}\p{N}]+/gu, "")
    .toLowerCase();
}
