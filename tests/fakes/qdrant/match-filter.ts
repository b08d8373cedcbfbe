import { z } from "zod";

/** `must` only: `should` is ORed with an outer filter's own (issue 10594), so the adapter never sends it. */
export const Filter = z.strictObject({
  must: z
    .array(
      z.strictObject({
        key: z.string(),
        match: z.union([z.strictObject({ value: z.string() }), z.strictObject({ any: z.array(z.string()).min(1) })]),
      }),
    )
    .min(1),
});
export type Filter = z.infer<typeof Filter>;

/** Every condition holds; values compare whole, a missing field matches nothing. */
export function matchesFilter(payload: Readonly<Record<string, unknown>>, { must }: Filter): boolean {
  return must.every(({ key, match }) => {
    const value = payload[key];
    return "any" in match ? match.any.some((wanted) => wanted === value) : match.value === value;
  });
}
