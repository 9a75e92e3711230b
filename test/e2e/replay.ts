import { execFileSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { noneLeft } from "../support/goneProcess.ts"
import { snapshot } from "../support/recording.ts"
import type { Archive } from "./archive.ts"

/** Makes a project a repository with one commit, whose hooks tell of every use in a file beside it. */
export const makeRepository = (project: string): { readonly revision: string; readonly hookRan: () => boolean } => {
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-c", "user.name=dev", "-c", "user.email=dev@example.invalid", ...args], {
      cwd: project,
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", HOME: project, GIT_CONFIG_NOSYSTEM: "1" }
    }).trim()
  fs.writeFileSync(path.join(project, "notes.txt"), "The retry queue is in src/queue.\n")
  git("init", "--quiet")
  git("add", ".")
  git("commit", "--quiet", "-m", "Begin")
  const mark = path.join(path.dirname(project), "git-hook-ran")
  for (const name of ["post-checkout", "post-commit"]) {
    fs.writeFileSync(path.join(project, ".git", "hooks", name), `#!/bin/sh\ntouch '${mark}'\n`, { mode: 0o755 })
  }
  return { revision: git("rev-parse", "HEAD"), hookRan: () => fs.existsSync(mark) }
}

/** What a replay must leave as it is: the user's settings and home, the project, the memory and the other archives. */
export const untouched = (directories: ReadonlyArray<string>, except: (file: string) => boolean = () => false) =>
  Object.fromEntries(
    directories.flatMap((directory) =>
      Object.entries(snapshot(directory))
        .map(([file, content]) => [path.join(directory, file), content] as const)
        .filter(([file]) => !except(file))
    )
  )

/** The closing event of a replay, with what the agent's program said. */
export const closingOf = (archive: Archive): Record<string, unknown> => {
  const last = archive.events.at(-1)
  if (last?.kind !== "provider_event" || last.payload.name !== "replay") throw new Error("no closing event")
  return last.payload.fields as Record<string, unknown>
}

/** The work trees that a repository knows besides itself. */
export const worktreesOf = (project: string): ReadonlyArray<string> =>
  execFileSync("git", ["worktree", "list", "--porcelain"], { cwd: project, encoding: "utf8" })
    .split("\n")
    .filter((line) => line.startsWith("worktree "))
    .slice(1)

/** Processes of this user whose environment holds a text, as Linux tells: the agents of a replay hold its id. */
export const processesWith = (text: string): ReadonlyArray<number> =>
  fs
    .readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return fs.readFileSync(`/proc/${pid}/environ`, "latin1").includes(text)
      } catch {
        return false
      }
    })
    .map(Number)

/** Waits until no process holds a text in its environment, such as the root of a sandbox. */
export const allGone = (text: string) => noneLeft(() => processesWith(text).length > 0)

/** What is left in a directory for temporary files of the places of replays. */
export const placesIn = (directory: string | undefined): ReadonlyArray<string> =>
  fs.readdirSync(directory ?? "").filter((name) => name.startsWith("lint-ai-place-"))
