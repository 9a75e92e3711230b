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

/** When the last file under a path was changed, in milliseconds. */
const newest = (entry: string): number => {
  const status = fs.statSync(entry)
  if (!status.isDirectory()) return status.mtimeMs
  return Math.max(status.mtimeMs, ...fs.readdirSync(entry).map((name) => newest(path.join(entry, name))))
}

const isStale = (dist: string): boolean => {
  const built = path.join(dist, "hook-program.cjs")
  const sources = ["src", "scripts", "package-lock.json"].map((name) => newest(path.join(root, name)))
  return !fs.existsSync(built) || fs.statSync(built).mtimeMs < Math.max(...sources)
}

const build = () => {
  const result = spawnSync(process.execPath, [path.join(root, "scripts/build.mjs")], { cwd: root, encoding: "utf8" })
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
 * Builds the program once when it is missing or older than its sources, and gives the tests their own names of its files: a build that is
 * started while they run replaces `dist`. `LINT_AI_TEST_PROGRAM` names another directory of built files to test.
 */
export default (project: TestProject) => {
  const other = process.env.LINT_AI_TEST_PROGRAM
  const dist = other ?? path.join(root, "dist")
  if (other === undefined && isStale(dist)) build()
  const own = fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-built-"))
  for (const name of fs.readdirSync(dist)) linkOrCopy(path.join(dist, name), path.join(own, name))
  project.provide("builtProgram", own)
  return () => fs.rmSync(own, { recursive: true, force: true })
}
