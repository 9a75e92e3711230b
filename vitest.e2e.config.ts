import { defineConfig, mergeConfig } from "vitest/config"
import shared from "./vitest.config.ts"

/** The real agent CLIs against fake servers. They are installed from npm into .cache/agents at the first run. */
export default mergeConfig(
  { ...shared, test: { ...shared.test, projects: undefined } },
  defineConfig({
    test: {
      include: ["test/e2e/**/*.test.ts"],
      // One agent at a time: on a small machine they would only wait for each other.
      fileParallelism: false,
      testTimeout: 180_000,
      // The first run downloads several hundred megabytes.
      hookTimeout: 600_000
    }
  })
)
