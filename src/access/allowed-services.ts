declare const allowedServices: unique symbol;

/**
 * The services that everyone who will read an output may see. Only the access module makes one, so that no search can
 * run with a set that was put together somewhere else. An empty set finds nothing.
 */
export type AllowedServices = ReadonlySet<string> & { readonly [allowedServices]: true };

/** For `src/access/` and for tests only (an architecture test holds that). */
export function allowServices(services: Iterable<string>): AllowedServices {
  return new Set(services) as unknown as AllowedServices;
}

export function intersectServices(left: AllowedServices, right: AllowedServices): AllowedServices {
  return left.intersection(right) as unknown as AllowedServices;
}
