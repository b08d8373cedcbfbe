import type { AccessPolicy } from "../access/access-policy.ts";
import type { AllowedServices } from "../access/allowed-services.ts";
import type { AskInstead, Classification, RunbookLink } from "../domain.ts";
import { linkToSource } from "./link-to-source.ts";
import type { Retrieval } from "./retrieve-passages.ts";

export type ChooseWhomToAsk = (
  allowedServices: AllowedServices,
  classification: Classification,
  found?: Retrieval,
) => AskInstead;

const CLOSEST_NAMED = 3;
/** What scores less than this share of the nearest one is not near. */
const LEAST_SHARE = 0.5;

/**
 * The owner of the service that the message names, or of the nearest runbook when one comes near; else the first of the
 * admins. All of it from services that the readers may see, so that no group's name tells of a hidden one.
 */
export function createChooseWhomToAsk(policy: () => AccessPolicy): ChooseWhomToAsk {
  return (allowedServices, classification, found) => {
    const { services, admins } = policy();
    const named = classification.service !== null && allowedServices.has(classification.service);
    if (named) {
      const service = services.get(classification.service ?? "");
      if (service !== undefined) return { group: service.owner, why: `owns ${service.name}` };
    }
    const nearest = found?.relevance === "nothing" ? undefined : found?.runbooks[0]?.runbook.service;
    const owner = nearest === undefined ? undefined : services.get(nearest);
    if (owner !== undefined) return { group: owner.owner, why: `owns ${owner.name}, the nearest service` };
    const [admin] = admins;
    if (admin !== undefined) return { group: admin, why: "looks after the runbooks" };
    const first = [...services.values()].find((service) => allowedServices.has(service.name));
    return { group: first?.owner ?? "your administrators", why: "looks after the runbooks" };
  };
}

export type NameClosest = (found: Retrieval) => RunbookLink[];

/** In the doubtful zone: the runbooks that come nearest, as links and never as checks. */
export function createNameClosest(policy: () => AccessPolicy): NameClosest {
  return ({ relevance, runbooks, commit }) =>
    relevance === "nothing"
      ? []
      : runbooks
          .filter(({ score }) => score >= (runbooks[0]?.score ?? 0) * LEAST_SHARE)
          .slice(0, CLOSEST_NAMED)
          .map(({ runbook }) => ({
            sourceId: runbook.sourceId,
            title: runbook.title,
            url: linkToSource(policy().linkTemplate, { path: runbook.path, line: 1, commit }),
          }));
}
