import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { type CommandDocument, document } from "../../src/cli/documents/CommandDocument.ts"
import { documents } from "../../src/cli/documents/documents.ts"
import { deliver, prompt, start } from "../support/claudeDeliveries.ts"
import { misfits } from "../support/documents.ts"
import { run } from "../support/program.ts"
import { recordingUser, type TestUser } from "../support/recording.ts"

const built = inject("builtProgram")

const named = (command: string): CommandDocument => {
  const found = documents.find((one) => one.command === command)
  if (found === undefined) throw new Error(`there is no document of ${command}`)
  return found
}

/** Runs the built program as the user would, without a terminal. */
const lintAi = (user: TestUser, args: ReadonlyArray<string>) =>
  run({
    command: process.execPath,
    args: [path.join(built, "main.mjs"), ...args],
    cwd: user.project,
    env: { ...user.env, PATH: process.env.PATH ?? "" }
  })

describe("what the program prints with --json", () => {
  it.live("is the document of failures when a command fails, and its exit code says how", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      for (const [args, exitCode] of [
        [["sessions", "inspect", "nobody"], 3],
        [["sessions", "inspect"], 3],
        [["sessions", "lst"], 2],
        [["sessions", "list", "--nothing"], 2],
        [["sessions", "search", " "], 2],
        [["sessions", "list", "--provider", "nobody"], 2],
        [["memory", "show", "mem_x"], 3],
        [["ui", "--port", "70000"], 2],
        [["watch", "--follow", "nobody"], 3],
        [["sessions", "list", "--project", "/nowhere/at/all"], 2]
      ] as ReadonlyArray<readonly [ReadonlyArray<string>, number]>) {
        const ended = yield* lintAi(user, [...args, "--json"])
        if (args[0] === "ui") {
          assert.strictEqual(ended.exitCode, 2, "ui has no document: it serves a page")
          continue
        }
        assert.strictEqual(ended.exitCode, exitCode, `${args.join(" ")}: ${ended.stdout}${ended.stderr}`)
        assert.deepStrictEqual(misfits(named("failure"), ended.stdout), [], ended.stdout)
      }
    }).pipe(Effect.scoped)
  )

  it.live("is the document of its command", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* deliver(user, "s1", [start, prompt(1)])
      for (const [command, ...args] of [
        ["init", "--yes"],
        ["mcp verify"],
        ["sessions list"],
        ["status"],
        ["doctor"]
      ] as ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>) {
        const ended = yield* lintAi(user, [...command.split(" "), ...args, "--json"])
        assert.include([0, 1], ended.exitCode, `${command}: ${ended.stdout}${ended.stderr}`)
        assert.deepStrictEqual(misfits(named(command), ended.stdout), [], ended.stdout)
      }
      const hashed = yield* lintAi(user, ["air", "config-hash", "."])
      assert.deepStrictEqual(misfits(named("air config-hash"), hashed.stdout), [], hashed.stdout)
    }).pipe(Effect.scoped)
  )

  it("is held against its schema by these tests: a document with another field does not fit", () => {
    const { schema } = named("sessions delete")
    assert.notDeepEqual(misfits(document("sessions delete", "", schema), '{"deleted":[],"other":true}'), [])
  })
})
