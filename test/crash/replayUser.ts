import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import * as Effect from "effect/Effect"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import { newUser, type TestUser } from "../support/recording.ts"
import { type RunEnd, type RunOptions, run } from "./hookRun.ts"

/** A user with a repository, and a pretended Antigravity CLI on the PATH that runs the hooks which are registered for it. */
export interface ReplayUser extends TestUser {
  readonly temporary: string
  /** Runs the program to its end. */
  readonly lintAi: (args: ReadonlyArray<string>, options?: RunOptions) => Promise<RunEnd>
  /** Remembers something in one session, and gives the id of the next, which has two prompts. */
  readonly converse: () => string
}

export const replayUser = (program: ReadonlyArray<string>) =>
  Effect.map(newUser, (user): ReplayUser => {
    const bin = path.join(user.directory, "bin")
    fs.mkdirSync(bin)
    const script = path.join(bin, "fakeAgy.mjs")
    fs.copyFileSync(path.join(import.meta.dirname, "../support/fakeAgy.mjs"), script)
    const start = `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`
    fs.writeFileSync(path.join(bin, "agy"), start, { mode: 0o755 })
    const temporary = path.join(user.directory, "tmp")
    fs.mkdirSync(temporary)
    const env = {
      HOME: user.home,
      LINT_AI_CONFIG_DIR: user.config,
      LINT_AI_STATE_DIR: user.state,
      PATH: `${bin}:/usr/bin:/bin`,
      TMPDIR: temporary,
      GEMINI_API_KEY: "the-key"
    }
    const agy = (args: ReadonlyArray<string>, answer = "Answer"): string => {
      const home = `--gemini_dir=${path.join(user.home, ".gemini")}`
      const all = [home, "--output-format", "stream-json", ...args]
      const answering = { ...env, FAKE_AGY_ANSWER: answer }
      const answered = spawnSync("agy", all, { cwd: user.project, env: answering, encoding: "utf8" })
      return JSON.parse(answered.stdout.split("\n")[0] ?? "{}").conversation_id
    }
    fs.writeFileSync(path.join(user.project, "notes.txt"), "Notes.\n")
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
    for (const args of [
      ["init", "-q"],
      ["add", "notes.txt"],
      [...identity, "commit", "-q", "-m", "Notes"]
    ]) {
      spawnSync("git", args, { cwd: user.project, env })
    }
    const own = { ...user, env }
    return {
      ...own,
      temporary,
      lintAi: (args, options = {}) => run([...program, ...args], own, "", options),
      converse: () => {
        agy(["-p", "Why does the retryQueue fail to connect to redis?"], "The retryQueue reads REDIS_URL everywhere")
        const id = agy(["-p", "Which port does the retryQueue use for redis?"])
        agy(["--conversation", id, "-p", "Is that decided?"])
        return id
      }
    }
  })

/** What no replay and no experiment may touch: everything of the user, of which `mine` tells what may come and go. */
export const bytesOf = (
  directories: ReadonlyArray<string>,
  mine: (file: string) => boolean
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    directories.flatMap((directory) =>
      fs
        .readdirSync(directory, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath, entry.name))
        .filter((file) => !mine(file))
        .map((file) => [file, fs.readFileSync(file, "latin1")] as const)
    )
  )

/** Directories of archives of the user's project. */
export const archivesOf = (user: TestUser): ReadonlyArray<string> => {
  const root = sessionsRoot(user.project, "antigravity")
  return fs.readdirSync(root).map((name) => path.join(root, name))
}

/** What killed replays have left, for which nobody is there any more. */
export const leftovers = (user: ReplayUser): ReadonlyArray<string> =>
  [user.temporary, path.join(user.state, "replay-places"), path.join(user.state, "replays")]
    .filter((directory) => fs.existsSync(directory))
    .flatMap((directory) => fs.readdirSync(directory).map((name) => path.join(directory, name)))
