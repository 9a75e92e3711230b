import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { deliver, end, start } from "../support/claudeDeliveries.ts"
import { runCommand } from "../support/cli.ts"
import { enableRecording, newUser, type TestUser } from "../support/recording.ts"

/** What somebody may write into an id or the name of a file, so that it runs when it is copied from the screen. */
const traps = [
  "x'; touch pwned; '",
  "$(touch pwned)",
  "`touch pwned`",
  "a; touch pwned",
  'a" & touch pwned; "',
  "two words",
  "it's"
]

/** Commands in a text: between backticks, behind two blanks or an arrow, and behind a colon. */
const commandsIn = (text: string): ReadonlyArray<string> => [
  ...[...text.matchAll(/`(lint-ai (?:[^`]|`touch pwned`)+)`(?= |;|\.|,|$)/gm)].map((found) => found[1] ?? ""),
  ...text
    .split("\n")
    .filter((line) => /^ {2,}/.test(line))
    .flatMap((line) => /(?:^| )((?:lint-ai|rm|chmod|sudo) .*)$/.exec(line)?.[1] ?? [])
]

/** Runs commands as a person does who copies them, with programs that do nothing; gives the words that each program was given. */
const copied = (user: TestUser, commands: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const bin = path.join(user.directory, "stubs")
  fs.mkdirSync(bin, { recursive: true })
  for (const name of ["lint-ai", "rm", "chmod", "sudo"]) {
    fs.writeFileSync(path.join(bin, name), `#!/bin/sh\nprintf '%s\\001' ${name} "$@"\nprintf '\\002'\n`, {
      mode: 0o755
    })
  }
  return commands.flatMap((command) => {
    const { stdout, stderr, status } = spawnSync("sh", ["-c", command], {
      cwd: user.directory,
      encoding: "utf8",
      env: { PATH: `${bin}:${process.env.PATH}` }
    })
    assert.strictEqual(status, 0, `${command}\n${stderr}`)
    return stdout
      .split("\u0002")
      .filter((run) => run !== "")
      .map((run) => run.split("\u0001").slice(0, -1))
  })
}

const messageOf = (exit: Exit.Exit<unknown, unknown>): string => {
  const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
  return error instanceof Error ? error.message : ""
}

describe("commands that are there to be copied", () => {
  for (const trap of traps) {
    it.live(`take what comes from outside for one word: ${trap}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* enableRecording(user)
        yield* deliver(user, trap, [start, end])
        const id = `claude:${trap}`
        const sessions = path.join(user.project, ".lint-ai", "claude-sessions")
        const said: Array<string> = []
        for (const args of [
          ["sessions", "list"],
          ["sessions", "inspect"],
          ["record", "stop"]
        ]) {
          said.push((yield* runCommand(user, args)).out)
        }
        // What a clone brings: an archive that nobody can read, and a link, each with a name that somebody chose.
        const name = `claude-z${trap.replaceAll("/", "")}`
        fs.mkdirSync(path.join(sessions, name))
        fs.symlinkSync("/nowhere", path.join(user.project, ".lint-ai", trap))
        said.push(messageOf((yield* runCommand(user, ["sessions", "inspect", name])).exit))
        said.push((yield* runCommand(user, ["doctor"])).out)
        const commands = said.flatMap(commandsIn)
        const runs = copied(user, commands)
        assert.isFalse(fs.existsSync(path.join(user.directory, "pwned")), commands.join("\n"))
        assert.isAbove(runs.filter((words) => words[3] === id).length, 4)
        assert.deepInclude(runs, ["lint-ai", "sessions", "recover", name])
        assert.deepInclude(runs, ["rm", path.join(user.project, ".lint-ai", trap)])
      }).pipe(Effect.scoped)
    )
  }
})
