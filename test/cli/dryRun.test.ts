import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { providers } from "../../src/domain/provider.ts"
import { runCommand } from "../support/cli.ts"
import { append, ended, prompt, started } from "../support/events.ts"
import { machineOf, recordingUser, snapshot } from "../support/recording.ts"

/** Every command that has --dry-run, but `codex trust`, whose tests have a Codex. */
const commands: ReadonlyArray<string> = [
  ...providers.flatMap((agent) => [
    `install ${agent}`,
    `install ${agent} --mcp --session-recording assist`,
    `uninstall ${agent}`
  ]),
  "uninstall --purge",
  "sessions prune --keep 0",
  "replay s",
  "experiment run lab/experiment.jsonc",
  "experiment ab lab",
  "experiment ab new"
]

describe("--dry-run", () => {
  it("is tried here for every command that has it", () => {
    const directory = path.join(import.meta.dirname, "../../src/cli/commands")
    const having = fs
      .readdirSync(directory)
      .filter((name) => fs.readFileSync(path.join(directory, name), "utf8").includes('"dry-run"'))
      .sort()
    assert.deepStrictEqual(having, [
      "codex.ts",
      "experimentRun.ts",
      "install.ts",
      "replay.ts",
      "sessionsPrune.ts",
      "uninstall.ts"
    ])
  })

  for (const command of commands) {
    it.live(`of ${command} writes nothing anywhere`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        yield* append(user, [started(), prompt("p"), ended()]).pipe(Effect.provide(machineOf(user)))
        yield* runCommand(user, ["install", "claude", "--yes"])
        yield* runCommand(user, ["experiment", "init", "lab"])
        const before = snapshot(user.directory)
        const { failure } = yield* runCommand(user, [...command.split(" "), "--dry-run"])
        assert.notStrictEqual(failure, "ShowHelp")
        assert.deepStrictEqual(snapshot(user.directory), before)
      }).pipe(Effect.scoped)
    )
  }
})
