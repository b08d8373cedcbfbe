import { readFileSync, writeFileSync } from "node:fs";

import createWabt from "wabt";

const SOURCE = new URL("../src/store/dot-products.wat", import.meta.url);

/** The bytes that `dot-products.wasm` must hold. */
export async function assemble(): Promise<Uint8Array> {
  const wabt = await createWabt();
  return wabt.parseWat("dot-products.wat", readFileSync(SOURCE, "utf8"), { simd: true }).toBinary({}).buffer;
}

if (import.meta.main) writeFileSync(new URL("../src/store/dot-products.wasm", import.meta.url), await assemble());
