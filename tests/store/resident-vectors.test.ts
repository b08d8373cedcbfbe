import { readFileSync } from "node:fs";

import { expect, test } from "vitest";

import { assemble } from "../../scripts/assemble-wasm.ts";
import { dotProduct } from "../../src/models/embedding-model.ts";
import { createResidentVectors, type ServiceVectors } from "../../src/store/resident-vectors.ts";

const numbers = (length: number, seed: number) =>
  Float32Array.from({ length }, (_, index) => Math.sin(seed + index * 1.7));

function exampleService(rows: number, width: number, seed: number): ServiceVectors {
  return {
    runbookIds: Uint32Array.of(1),
    firstChunks: Uint32Array.of(1),
    chunkCounts: Uint32Array.of(rows - 1),
    vectors: numbers(rows * width, seed),
  };
}

test("the committed kernel is what its source assembles to", async () => {
  const committed = readFileSync(new URL("../../src/store/dot-products.wasm", import.meta.url));

  expect([...committed]).toEqual([...(await assemble())]);
});

test.each([1, 5, 8, 100, 384])("gives the exact cosines at %i numbers a vector", (width) => {
  const service = exampleService(300, width, 3);
  const cosinesOf = createResidentVectors(width, () => service);
  const query = numbers(width, 9);

  const { cosines } = cosinesOf("payments", query);

  expect(cosines).toHaveLength(300);
  cosines.forEach((cosine, row) =>
    expect(cosine).toBeCloseTo(dotProduct(service.vectors.subarray(row * width, (row + 1) * width), query), 4),
  );
});

test("reads a service once, and anew when the memory was needed for others", () => {
  const loaded: string[] = [];
  const services: Record<string, ServiceVectors> = {
    large: exampleService(40, 8, 1),
    small: exampleService(2, 8, 2),
    none: { ...exampleService(1, 8, 3), vectors: new Float32Array() },
  };
  const cosinesOf = createResidentVectors(
    8,
    (service) => {
      loaded.push(service);
      return services[service] as ServiceVectors;
    },
    42 * 32,
  );
  const query = numbers(8, 4);
  const large = [...cosinesOf("large", query).cosines];

  cosinesOf("large", query);
  cosinesOf("small", query);
  const again = [...cosinesOf("large", query).cosines];

  expect(loaded).toEqual(["large", "small", "large"]);
  expect(again).toEqual(large);
  expect([...cosinesOf("none", query).cosines]).toEqual([]);
});
