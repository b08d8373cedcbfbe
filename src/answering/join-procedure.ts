import type { AllowedServices } from "../access/allowed-services.ts";
import type { Chunk } from "../domain.ts";
import { readSteps } from "../markdown/read-steps.ts";
import type { PassageStore, RankedChunk } from "../store/passage-store.ts";

const MOST_PASSAGES = 4;

/**
 * A long procedure is cut into several chunks: where the best passage is one of them, the ones before and after it in the
 * same section come along, in the order of the file, as far as other runbooks leave room.
 */
export async function joinProcedure(
  chosen: readonly RankedChunk[],
  store: PassageStore,
  allowedServices: AllowedServices,
): Promise<readonly RankedChunk[]> {
  const [best, ...others] = chosen;
  if (best === undefined || !hasSteps(best.chunk)) return chosen;
  const chunks = await store.chunksOf(best.chunk.sourceId, allowedServices);
  const at = chunks.findIndex(({ startIndex }) => startIndex === best.chunk.startIndex);
  const belongs = (chunk: Chunk | undefined): chunk is Chunk =>
    chunk !== undefined && hasSteps(chunk) && chunk.headingTrail.join("\n") === best.chunk.headingTrail.join("\n");

  const parts = [best.chunk];
  for (let before = at - 1; belongs(chunks[before]); before -= 1) parts.unshift(chunks[before] as Chunk);
  for (let after = at + 1; belongs(chunks[after]); after += 1) parts.push(chunks[after] as Chunk);
  if (parts.length === 1) return chosen;
  const foreign = others.filter(({ chunk }) => chunk.sourceId !== best.chunk.sourceId);
  const room = MOST_PASSAGES - new Set(foreign.map(({ chunk }) => chunk.sourceId)).size;
  const first = Math.max(0, parts.indexOf(best.chunk) - room + 1);
  const joined = parts.slice(first, first + room);
  const places = new Set(joined.map(({ startIndex }) => startIndex));
  const own = others.filter((other) => !foreign.includes(other) && !places.has(other.chunk.startIndex));
  return [...joined.map((chunk) => ({ ...best, chunk })), ...foreign, ...own].slice(0, MOST_PASSAGES);
}

function hasSteps({ text }: Chunk): boolean {
  return readSteps(text)[0]?.kind === "step";
}
