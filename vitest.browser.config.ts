import "./vitest.config.ts" // teaches Node 20 what the reporter needs
import { defineConfig } from "vitest/config"

/** The pages in a real browser: Chromium, which is found or, by root on Debian, installed (test/browser/chromiumSetup.ts). */
export default defineConfig({
  test: {
    include: ["test/browser/**/*.test.ts"],
    globalSetup: "test/browser/chromiumSetup.ts",
    pool: "forks",
    // One browser at a time: some of the tests compare times.
    fileParallelism: false,
    testTimeout: 180_000,
    hookTimeout: 600_000
  }
})
