import type { TestProject } from "vitest/node"
import { chromiumPath } from "../../scripts/chromium.mjs"

declare module "vitest" {
  interface ProvidedContext {
    /** Absolute path of a Chromium. */
    readonly chromium: string
  }
}

/** Finds the browser once for all tests. */
export default (project: TestProject) => project.provide("chromium", chromiumPath())
