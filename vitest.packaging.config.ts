import "./vitest.config.ts" // teaches Node 20 what the reporter needs
import { defineConfig } from "vitest/config"

/** What `npm run release` makes, installed with npm and run with Deno. It compiles and packs hundreds of megabytes. */
export default defineConfig({
  test: {
    include: ["test/packaging/**/*.test.ts"],
    globalSetup: "test/packaging/releaseSetup.ts",
    pool: "forks",
    testTimeout: 300_000,
    hookTimeout: 600_000
  }
})
