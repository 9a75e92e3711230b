// What `lint-ai --version` says about a build besides its version.
import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { fileURLToPath } from "node:url"

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)))

/** @param {ReadonlyArray<string>} args */
const git = (args) => {
  const { status, stdout } = spawnSync("git", args, { cwd: root, encoding: "utf8" })
  return status === 0 ? stdout.trim() : undefined
}

/**
 * The commit that a build is of: `SOURCE_COMMIT`, else what Git says, with `-dirty` when `inputs` differ from it; "" where neither is known.
 *
 * @param {ReadonlyArray<string>} inputs what the build depends on, as paths from the root
 */
export const commitOf = (inputs) => {
  const given = process.env.SOURCE_COMMIT
  if (given !== undefined && given !== "") return given.slice(0, 7)
  const [commit, prefix] = git(["rev-parse", "HEAD", "--show-prefix"])?.split("\n") ?? []
  // An unpacked archive may lie in the checkout of something else.
  if (commit === undefined || (prefix ?? "") !== "") return ""
  return `${commit.slice(0, 7)}${git(["status", "--porcelain", "--", ...inputs]) === "" ? "" : "-dirty"}`
}

/**
 * The time of a build as an ISO 8601 date, from `SOURCE_DATE_EPOCH` alone: a clock would make each build another one. "" without it.
 * Specification: reproducible-builds.org/specs/source-date-epoch.
 */
export const buildDate = () => {
  const seconds = process.env.SOURCE_DATE_EPOCH
  return seconds !== undefined && /^\d+$/.test(seconds) ? new Date(Number(seconds) * 1000).toISOString() : ""
}
