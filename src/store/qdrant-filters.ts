import type { AllowedServices } from "../access/allowed-services.ts";
import { PipelineError } from "../errors.ts";
import type { QdrantFilter } from "./qdrant-client.ts";

/** What a point stands for; every filter names one, so that no search meets a point of another kind. */
export type PointKind = "chunk" | "runbook" | "service";

/**
 * Points of one kind in the allowed services. Only `must`: Qdrant joins an outer and an inner `should` with OR (its issue
 * 10594), and an empty `must`, `except: []` or a filter left out find everything.
 * @throws PipelineError `permission` when no service is allowed: the caller must return before it asks.
 */
export function allowedPoints(
  kind: PointKind,
  allowedServices: AllowedServices,
  ...conditions: QdrantFilter["must"]
): QdrantFilter {
  if (allowedServices.size === 0) throw new PipelineError("permission", "a search without any allowed service");
  const services = { key: "service", match: { any: [...allowedServices] } };
  return { must: [services, { key: "kind", match: { value: kind } }, ...conditions] };
}

/** Points of any service, for indexing and status; never for answers. */
export function allPoints(kinds: readonly PointKind[], ...conditions: QdrantFilter["must"]): QdrantFilter {
  return { must: [{ key: "kind", match: { any: [...kinds] } }, ...conditions] };
}

export function ofRunbooks(sourceIds: readonly string[]): QdrantFilter["must"][number] {
  return { key: "source_id", match: { any: [...sourceIds] } };
}
