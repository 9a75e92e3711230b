import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { start } from "../support/program.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"
import { runShim, shimWith } from "./shimInstallation.ts"

/** The package of this machine. */
const ours = `lint-ai-${process.platform}-${process.arch}`

describe("the shim that npm links as lint-ai", () => {
  it.live("starts the binary with the arguments, the input and the environment, and ends as it does", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const shim = shimWith(directory, { [ours]: '#!/bin/sh\nprintf "%s|" "$@" "$WORD"\ncat\necho said >&2\nexit 7\n' })
      const end = yield* runShim(shim, ["a b", "--flag", ""], { stdin: "input", env: { WORD: "word" } })
      assert.strictEqual(end.stdout, "a b|--flag||word|input")
      assert.strictEqual(end.stderr, "said\n")
      assert.strictEqual(end.exitCode, 7)
    }).pipe(Effect.scoped)
  )

  it.live("runs the bundle where there is no binary, with the same arguments", () =>
    Effect.gen(function* () {
      const shim = shimWith(yield* temporaryDirectory, {})
      const end = yield* runShim(shim, ["sessions", "list"])
      assert.strictEqual(end.stdout, "bundle sessions list\n")
      assert.strictEqual(end.exitCode, 0)
    }).pipe(Effect.scoped)
  )

  for (const [name, binary] of [
    ["cannot be executed", { text: "#!/bin/sh\n", mode: 0o644 }],
    ["needs a loader that is not here", { text: "#!/nowhere/ld-musl.so.1\n", mode: 0o755 }],
    ["lacks a library", { text: "#!/bin/sh\necho missing >&2\nexit 127\n", mode: 0o755 }],
    ["uses an instruction that the processor lacks", { text: "#!/bin/sh\nkill -ILL $$\n", mode: 0o755 }]
  ] as const) {
    it.live(`runs the bundle where the binary ${name}`, () =>
      Effect.gen(function* () {
        const shim = shimWith(yield* temporaryDirectory, { [ours]: binary.text }, binary.mode)
        const end = yield* runShim(shim, ["status"])
        assert.strictEqual(end.stdout, "bundle status\n")
        assert.strictEqual(end.exitCode, 0)
      }).pipe(Effect.scoped)
    )
  }

  it.live("tries the binary for musl where the one for glibc does not start", () =>
    Effect.gen(function* () {
      const shim = shimWith(yield* temporaryDirectory, {
        [ours]: "#!/nowhere/ld-linux.so\n",
        [`${ours}-musl`]: "#!/bin/sh\necho musl\n"
      })
      assert.strictEqual((yield* runShim(shim, [])).stdout, "musl\n")
    }).pipe(Effect.scoped)
  )

  it.live("passes a signal on and dies of the one of which the binary died", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const shim = shimWith(directory, { [ours]: "#!/bin/sh\necho $$\nread -r line\n" })
      const running = yield* start({
        command: process.execPath,
        args: [shim],
        cwd: directory,
        env: { PATH: process.env.PATH ?? "" },
        stdin: "open"
      })
      const binary = Number(yield* running.nextLine)
      yield* running.signal("SIGTERM")
      const end = yield* running.finished
      assert.deepStrictEqual([end.signal, end.exitCode, end.stderr], ["SIGTERM", null, ""])
      assert.throws(() => process.kill(binary, 0))
    }).pipe(Effect.scoped)
  )

  it.live("lets the binary decide about an interrupt that is sent to the shim", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const shim = shimWith(directory, {
        [ours]: "#!/bin/sh\ntrap 'kill $!; exit 130' INT\nsleep 300 >/dev/null 2>&1 &\necho ready\nwait\n"
      })
      const running = yield* start({
        command: process.execPath,
        args: [shim],
        cwd: directory,
        env: { PATH: process.env.PATH ?? "" },
        stdin: "open"
      })
      yield* running.nextLine
      yield* running.signal("SIGINT")
      assert.strictEqual((yield* running.finished).exitCode, 130)
    }).pipe(Effect.scoped)
  )

  it.live("says which Node it needs, and refuses no agent when it is too old", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const shim = shimWith(directory, {})
      const older = path.join(directory, "older.cjs")
      fs.writeFileSync(
        older,
        `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "18.20.4" } })
         Object.defineProperty(process, "version", { value: "v18.20.4" })`
      )
      for (const [args, code] of [
        [["status"], 1],
        [["hook", "claude"], 0]
      ] as const) {
        const end = yield* runShim(shim, args, { node: ["--require", older] })
        assert.include(end.stderr, "Node 20.19")
        assert.strictEqual(end.stdout, "")
        assert.strictEqual(end.exitCode, code)
      }
    }).pipe(Effect.scoped)
  )
})
