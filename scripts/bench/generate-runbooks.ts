import type { IndexedRunbook } from "../../src/store/passage-store.ts";
import { createRandom } from "../../src/evaluation/seeded-random.ts";
import { readKeywordFields } from "../../src/store/keyword-fields.ts";

const CHUNKS_PER_RUNBOOK = 10;
export const SERVICES = 20;

/** A few words are in every text and most are rare, as in real ones (Zipf). */
export function randomWords(random: () => number, count: number): string {
  return Array.from({ length: count }, () => `word${Math.floor(20_000 ** random())}`).join(" ");
}

export function randomEmbedding(random: () => number, dimensions: number): Float32Array {
  const vector = Float32Array.from({ length: dimensions }, () => random() - 0.5);
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));
  return vector.map((value) => value / length);
}

/** Made-up runbooks of ten chunks, spread over twenty services. */
export async function* generateRunbooks(chunks: number, dimensions: number): AsyncGenerator<IndexedRunbook> {
  const random = createRandom(7);
  for (let number = 0; number < chunks / CHUNKS_PER_RUNBOOK; number += 1) {
    const service = `service-${number % SERVICES}`;
    const path = `${service}/runbook-${number}.md`;
    const title = `Runbook ${number} ${randomWords(random, 3)}`;
    const runbook = {
      sourceId: path.replace(/\.md$/, ""),
      path,
      title,
      service,
      contentHash: String(number),
      owner: null,
      lastReviewed: null,
    };
    let startIndex = 0;
    const parts = Array.from({ length: CHUNKS_PER_RUNBOOK }, (_, part) => {
      const heading = `Part ${part} ${randomWords(random, 2)}`;
      const text = `## ${heading}\n\n1. ${randomWords(random, 30)}.\n2. ${randomWords(random, 30)}.\n`;
      const { sourceId } = runbook;
      const chunk = {
        sourceId,
        title,
        service,
        path,
        headingTrail: [heading],
        startIndex,
        startLine: 1 + part * 5,
        text,
      };
      startIndex += text.length + 1;
      const keywords = readKeywordFields({ title, headings: [heading], path, service: [service], markdown: text });
      return { chunk, embedding: randomEmbedding(random, dimensions), keywords };
    });
    const markdown = parts.map(({ chunk }) => chunk.text).join("\n");
    const headings = parts.flatMap(({ chunk }) => chunk.headingTrail);
    const keywords = readKeywordFields({ title, headings, path, service: [service], markdown });
    yield { runbook, summaryEmbedding: randomEmbedding(random, dimensions), keywords, chunks: parts };
  }
}
