import { spawn } from "node:child_process"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { LockService } from "../../src/archive/LockService.ts"
import { SessionArchive } from "../../src/archive/SessionArchive.ts"
import { exportAir } from "../../src/evidence/air/exportSession.ts"
import { referenceVerdict } from "../../src/evidence/air/referenceVerdict.ts"
import { readRuns } from "../../src/evidence/air/runs.ts"
import { verifyArchive } from "../../src/evidence/verify.ts"
import {
  claudeArchive,
  compiledHook,
  diagnosticsOf,
  machineOf,
  manifestOf,
  recordingUser,
  runHook,
  strictEvents,
  type TestUser
} from "../support/recording.ts"

const writers = 16
const rounds = 10
/** One hook in so many is killed while it works. */
const oneIn = 6

const payload = (user: TestUser, name: string) => ({
  session_id: "crowd",
  hook_event_name: "UserPromptSubmit",
  cwd: user.project,
  prompt_id: name,
  prompt: name
})

const startHook = (user: TestUser, name: string, killAfterMs: number | undefined, env: Record<string, string> = {}) =>
  new Promise<{ readonly name: string; readonly exitCode: number | null }>((resolve) => {
    const [command = "", ...args] = compiledHook(inject("builtProgram"))
    const child = spawn(command, [...args, "hook", "claude"], {
      cwd: user.project,
      env: { ...user.env, ...env },
      stdio: ["pipe", "ignore", "ignore"]
    })
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs)
    child.stdin.on("error", () => undefined)
    child.stdin.end(JSON.stringify(payload(user, name)))
    child.on("close", (exitCode) => {
      clearTimeout(timer)
      resolve({ name, exitCode })
    })
  })

const promptsIn = (user: TestUser) =>
  strictEvents(claudeArchive(user, "crowd").events).flatMap((event) =>
    event.kind === "user_prompt" ? [event.payload.text] : []
  )

describe("sixteen writers at once, some of which are killed", () => {
  it.live("leave one chain that verifies, name what came late, and lose nothing that was acknowledged", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const files = claudeArchive(user, "crowd")
      const acknowledged: Array<string> = []
      yield* Effect.gen(function* () {
        const locks = yield* LockService
        const archive = yield* SessionArchive
        assert.strictEqual(runHook(compiledHook(inject("builtProgram")), user, payload(user, "first")).status, 0)
        acknowledged.push("first")

        // While somebody holds the lock, all that come have to leave their delivery in the spool.
        const late = yield* locks.hold(
          files.lock,
          0,
          Effect.promise(() =>
            Promise.all(
              Array.from({ length: writers }, (_, n) =>
                startHook(user, `late${n}`, undefined, { LINT_AI_HOOK_TIMEOUT_MS: "1500" })
              )
            )
          )
        )
        for (const { name, exitCode } of late) if (exitCode === 0) acknowledged.push(name)
        assert.deepStrictEqual(promptsIn(user), ["first"])

        let killed = 0
        const lane = async (writer: number) => {
          for (let round = 0; round < rounds; round++) {
            const kill = (writer + round * 7) % oneIn === 0
            const end = await startHook(
              user,
              `w${writer}r${round}`,
              kill ? 20 + ((writer * 31 + round * 17) % 120) : undefined,
              {
                LINT_AI_HOOK_TIMEOUT_MS: "10000"
              }
            )
            if (end.exitCode === 0) acknowledged.push(end.name)
            else killed++
          }
        }
        yield* Effect.promise(() => Promise.all(Array.from({ length: writers }, (_, n) => lane(n))))
        assert.isAbove(killed, 0)
        yield* archive.recover(files.directory)

        assert.deepStrictEqual(diagnosticsOf(user), [])
        const found = promptsIn(user)
        assert.strictEqual(new Set(found).size, found.length, "no event twice")
        assert.deepStrictEqual(
          acknowledged.filter((name) => !found.includes(name)),
          []
        )
        const events = strictEvents(files.events)
        assert.deepStrictEqual(
          events.map((event) => event.sequence),
          events.map((_, n) => n + 1)
        )
        const verification = yield* verifyArchive(files.directory)
        assert.deepInclude(verification, { verdict: "complete", reasons: [], spooled_count: 0 })
        const lateEvents = (verification?.gaps ?? []).reduce(
          (sum, gap) => sum + (gap.cause === "spooled" ? gap.events : 0),
          0
        )
        assert.isAtLeast(lateEvents, writers)

        // The record is good for other formats too.
        const runs = `${user.directory}/runs`
        const manifest = manifestOf(files.manifest)
        yield* exportAir(
          { directory: files.directory, manifest },
          { runs, vault: `${runs}/vault` },
          "a key of the test"
        )
        assert.deepInclude(referenceVerdict((yield* readRuns(runs, true)).files, "a key of the test"), { intact: true })
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
