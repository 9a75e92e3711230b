import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import type { TestProject } from "vitest/node"

declare module "vitest" {
  interface ProvidedContext {
    /** Directory of what `npm run build` makes, as it was when the tests began. */
    readonly builtProgram: string
  }
}

const root = path.join(import.meta.dirname, "../..")

const buildWhenStale = () => {
  const script = path.join(root, "scripts/build.mjs")
  const result = spawnSync(process.execPath, [script, "--when-stale"], { cwd: root, encoding: "utf8" })
  if (result.status !== 0) throw new Error(`npm run build failed:\n${result.stdout}${result.stderr}`)
}

const linkOrCopy = (from: string, to: string) => {
  try {
    fs.linkSync(from, to)
  } catch {
    // The temporary directory is on another file system.
    fs.copyFileSync(from, to)
  }
}

/**
 * Builds the program once when it is missing or not what its sources give, and gives the tests their own names of its files: a build that is
 * started while they run replaces `dist`. `LINT_AI_TEST_PROGRAM` names another directory of built files to test.
 */
export default (project: TestProject) => {
  const other = process.env.LINT_AI_TEST_PROGRAM
  if (other === undefined) buildWhenStale()
  const dist = other ?? path.join(root, "dist")
  const own = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-built-"))
  for (const name of fs.readdirSync(dist)) linkOrCopy(path.join(dist, name), path.join(own, name))
  project.provide("builtProgram", own)
  return () => fs.rmSync(own, { recursive: true, force: true })
}
