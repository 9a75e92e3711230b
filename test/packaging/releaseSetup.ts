import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { TestProject } from "vitest/node"
import { hostTarget } from "../../scripts/compile.mjs"
import { release } from "../../scripts/release.mjs"

declare module "vitest" {
  interface ProvidedContext {
    /** Directory of what `npm run release` makes, for two targets. */
    readonly release: string
    /** The target of this machine, whose binary can be started. */
    readonly hostTarget: string
    /** Another one. */
    readonly crossTarget: string
  }
}

/** Makes a release once for all tests. `LINT_AI_TEST_RELEASE` names one that is there already, with all targets. */
export default async (project: TestProject) => {
  const host = hostTarget()
  if (host === undefined) throw new Error("packaging is tested where there is a bun to compile with")
  const cross = host === "linux-arm64" ? "linux-x64" : "linux-arm64"
  const given = process.env.LINT_AI_TEST_RELEASE
  const out = given ?? fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-release-"))
  if (given === undefined) await release({ out, targets: [host, cross] })
  project.provide("release", out)
  project.provide("hostTarget", host)
  project.provide("crossTarget", cross)
  return () => {
    if (given === undefined) fs.rmSync(out, { recursive: true, force: true })
  }
}
