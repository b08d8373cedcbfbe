import { readFileSync } from "node:fs";

/** The vectors of one service's runbooks, one after the other: each runbook's summary, then its chunks in file order. */
export interface ServiceVectors {
  readonly runbookIds: Uint32Array;
  /** Id of each runbook's first chunk; the others follow it. */
  readonly firstChunks: Uint32Array;
  readonly chunkCounts: Uint32Array;
  readonly vectors: Float32Array;
}

export interface ServiceCosines extends Omit<ServiceVectors, "vectors"> {
  /** Cosine of the query with each vector, in their order. */
  readonly cosines: Float32Array;
}

interface ResidentService extends Omit<ServiceVectors, "vectors"> {
  readonly address: number;
  readonly rows: number;
}

/** What `dot-products.wat` exports. */
interface Kernel {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number };
  readonly dotProducts: (matrix: number, rows: number, stride: number, vector: number, out: number) => void;
}

// Node's types leave WebAssembly to the DOM's.
declare const WebAssembly: {
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object) => { readonly exports: unknown };
};

/** Vectors of 170,000 chunks of 384 numbers. When they don't fit, all go, and what is asked for is read again. */
const BUDGET_BYTES = 256 * 1024 * 1024;
const PAGE_BYTES = 64 * 1024;

// Eight numbers at a time (SIMD), which JavaScript can't: seven times as fast as a loop over a Float32Array.
const kernelModule = new WebAssembly.Module(readFileSync(new URL("dot-products.wasm", import.meta.url)));

/**
 * Exact cosines of a query with every vector of a service. Vectors stay in memory once read, where the kernel sees them.
 * All vectors have length 1 and `width` numbers.
 */
export function createResidentVectors(
  width: number,
  load: (service: string) => ServiceVectors,
  budgetBytes: number = BUDGET_BYTES,
): (service: string, query: Float32Array) => ServiceCosines {
  const { memory, dotProducts } = new WebAssembly.Instance(kernelModule).exports as Kernel;
  const stride = Math.ceil(width / 8) * 32;
  const resident = new Map<string, ResidentService>();
  // The query stands at address 0, the vectors after it.
  let top = stride;

  function reserve(bytes: number): void {
    const missing = bytes - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / PAGE_BYTES));
  }

  function place(service: string): ResidentService {
    const { vectors, ...runbooks } = load(service);
    const rows = vectors.length / width;
    if (top + rows * stride > budgetBytes) {
      resident.clear();
      top = stride;
    }
    const placed = { ...runbooks, address: top, rows };
    top += rows * stride;
    reserve(top);
    const floats = new Float32Array(memory.buffer);
    for (let row = 0; row < rows; row += 1) {
      const at = (placed.address + row * stride) / 4;
      floats.fill(0, at, at + stride / 4);
      floats.set(vectors.subarray(row * width, (row + 1) * width), at);
    }
    resident.set(service, placed);
    return placed;
  }

  return (service, query) => {
    const { address, rows, ...runbooks } = resident.get(service) ?? place(service);
    if (rows === 0) return { ...runbooks, cosines: new Float32Array() };
    reserve(top + rows * 4);
    const padded = new Float32Array(memory.buffer, 0, stride / 4);
    padded.fill(0);
    padded.set(query);
    dotProducts(address, rows, stride, 0, top);
    return { ...runbooks, cosines: new Float32Array(memory.buffer, top, rows).slice() };
  };
}
