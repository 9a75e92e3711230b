import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { runtimeServices } from "../../src/platform/programSpawner.ts"

const start = (program: string, args: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
    const handle = yield* spawner.spawn(ChildProcess.make(program, [...args], { stdin: "ignore" }))
    return Number(yield* handle.exitCode)
  }).pipe(Effect.scoped, Effect.provide(runtimeServices))

describe("a program", () => {
  it.live("runs", () =>
    Effect.map(start(process.execPath, ["-e", "process.exit(7)"]), (code) => assert.strictEqual(code, 7))
  )

  const unstartable: ReadonlyArray<readonly [string, string, ReadonlyArray<string>]> = [
    ["is missing", path.join(import.meta.dirname, "no-such-program"), []],
    ["is no executable file", import.meta.filename, []],
    ["is a directory", import.meta.dirname, []],
    ["lies behind a file", path.join(import.meta.filename, "program"), []],
    ["is given more than the system passes on", process.execPath, ["x".repeat(8_000_000)]]
  ]
  for (const [what, program, args] of unstartable)
    it.live(`that ${what} is a failure, and no defect`, () =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(start(program, args))
        assert.strictEqual(error._tag, "PlatformError")
      })
    )
})
