import { defineConfig } from "vitest/config";

// Most tests wait for a stand-in: more workers than cores keep both cores busy.
export default defineConfig({
  test: { include: ["tests/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000, pool: "forks", maxWorkers: 4 },
});
