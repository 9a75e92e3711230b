import "./vitest.config.ts" // teaches Node 20 what the reporter needs
import { defineConfig } from "vitest/config"

/** The examples and the links of the documents. */
export default defineConfig({
  test: {
    include: ["test/docs/**/*.test.ts"],
    globalSetup: "test/support/builtProgram.ts",
    pool: "forks",
    testTimeout: 300_000,
    hookTimeout: 300_000
  }
})
