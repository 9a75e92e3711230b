import "./vitest.config.ts" // teaches Node 20 what the reporter needs
import { defineConfig } from "vitest/config"

/** What takes minutes and gigabytes: many processes, long sessions, large projects. */
export default defineConfig({
  test: {
    include: ["test/load/**/*.test.ts"],
    globalSetup: "test/support/builtProgram.ts",
    pool: "forks",
    fileParallelism: false,
    hookTimeout: 600_000
  }
})
