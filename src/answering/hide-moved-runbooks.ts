import type { AccessPolicy } from "../access/access-policy.ts";
import type { PassageStore } from "../store/passage-store.ts";

/**
 * The index remembers to which service each path belonged when it was made; the access file of today may say otherwise.
 * A store behind this gives only what both agree on, by every door: a moved runbook is nobody's until the next reindex.
 */
export function hideMovedRunbooks(
  store: PassageStore,
  policy: () => Pick<AccessPolicy, "serviceOfPath">,
): PassageStore {
  const isCurrent = ({ path, service }: { readonly path: string; readonly service: string }) =>
    policy().serviceOfPath(path) === service;
  return {
    ...store,
    async search(query, allowedServices, limit) {
      for (let asked = limit; ; asked *= 4) {
        const found = await store.search(query, allowedServices, asked);
        const runbooks = found.runbooks.filter(
          ({ runbook, chunks }) => isCurrent(runbook) && chunks.every(({ chunk }) => isCurrent(chunk)),
        );
        // A moved one takes no place of one that may be shown.
        const isAll = runbooks.length === found.runbooks.length || found.runbooks.length < asked;
        if (isAll || runbooks.length >= limit) return { ...found, runbooks: runbooks.slice(0, limit) };
      }
    },
    findRunbooks: async (sourceIds, allowedServices) =>
      (await store.findRunbooks(sourceIds, allowedServices)).filter(isCurrent),
    chunksOf: async (sourceId, allowedServices) => (await store.chunksOf(sourceId, allowedServices)).filter(isCurrent),
  };
}
