import "./vitest.config.ts" // teaches Node 20 what the reporter needs
import { defineConfig } from "vitest/config"
import { passedOnRetry } from "./test/support/passedOnRetry.ts"

/** The real agent CLIs against fake servers. They are installed from npm into .cache/agents at the first run. */
export default defineConfig({
  test: {
    include: ["test/e2e/**/*.test.ts"],
    globalSetup: ["test/support/builtProgram.ts", "test/e2e/agentsSetup.ts"],
    pool: "forks",
    // Every test has directories, a home and a fake server of its own. Two files at a time, because an agent waits for half of its time; more
    // would break the time limits that the agents have.
    maxWorkers: 2,
    testTimeout: 180_000,
    // Those limits a busy machine may break even so. What fails twice is a fault; what failed once is told.
    retry: 1,
    reporters: ["default", passedOnRetry],
    hookTimeout: 180_000
  }
})
