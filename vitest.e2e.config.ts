import "./vitest.config.ts" // teaches Node 20 what the reporter needs
import { defineConfig } from "vitest/config"

/** The real agent CLIs against fake servers. They are installed from npm into .cache/agents at the first run. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: "test/support/builtProgram.ts",
    pool: "forks",
    // One agent at a time: on a small machine they would only wait for each other.
    fileParallelism: false,
    testTimeout: 180_000,
    // The agents have time limits of their own, which a busy machine may break. What fails twice is a fault.
    retry: 1,
    // The first run downloads several hundred megabytes.
    hookTimeout: 600_000
  }
})
