import { spawn } from "node:child_process"
import * as fs from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { readEvents } from "../../src/archive/readArchive.ts"
import { verifyArchive } from "../../src/evidence/verify.ts"
import {
  claudeArchive,
  compiledHook,
  diagnosticsOf,
  machineOf,
  manifestOf,
  recordingUser,
  runHook,
  type TestUser
} from "../support/recording.ts"

/** How many hooks are killed; LINT_AI_CRASH_KILLS makes it a long test. One in ten is. */
const kills = Number(process.env.LINT_AI_CRASH_KILLS ?? 150)
const oneIn = 10
/** Hooks at work at the same time, on one session. */
const lanes = 4
const seed = Number(process.env.LINT_AI_CRASH_SEED ?? Date.now() % 1_000_000)

/** Numbers in [0, 1) that a seed repeats (mulberry32). */
const randomFrom = (start: number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const payload = (user: TestUser, name: string) => ({
  session_id: "crash",
  hook_event_name: "UserPromptSubmit",
  cwd: user.project,
  prompt_id: name,
  prompt: name
})

interface HookEnd {
  readonly name: string
  readonly exitCode: number | null
  readonly ms: number
}

/** One hook; `killAfterMs` kills it then, if it still runs. */
const startHook = (program: ReadonlyArray<string>, user: TestUser, name: string, killAfterMs?: number) =>
  new Promise<HookEnd>((resolve) => {
    const began = performance.now()
    const [command = "", ...args] = program
    const child = spawn(command, [...args, "hook", "claude"], {
      cwd: user.project,
      env: user.env,
      stdio: ["pipe", "ignore", "ignore"]
    })
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs)
    child.stdin.on("error", () => {
      // It was killed before it read.
    })
    child.stdin.end(JSON.stringify(payload(user, name)))
    child.on("close", (exitCode) => {
      clearTimeout(timer)
      resolve({ name, exitCode, ms: performance.now() - began })
    })
  })

describe("hooks that are killed at any moment", () => {
  it.live(
    `lose nothing that was acknowledged (${kills} of ${kills * oneIn} killed, seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        const program = compiledHook(inject("builtProgram"))
        const random = randomFrom(seed)
        const acknowledged: Array<string> = []
        const times: Array<number> = []
        let killed = 0
        let started = 0
        // Names are given out in order, whichever lane takes them; the kill falls between the start of a hook and its usual end.
        const lane = async () => {
          while (started < kills * oneIn) {
            const name = `p${started++}`
            const usual = times.slice(-20).sort((a, b) => a - b)[10] ?? 50
            const end = await startHook(program, user, name, random() < 1 / oneIn ? random() * usual : undefined)
            if (end.exitCode === 0) {
              acknowledged.push(name)
              times.push(end.ms)
            } else killed++
          }
        }
        yield* Effect.promise(() => Promise.all(Array.from({ length: lanes }, lane)))

        // A delivery that left a diagnostic was not acknowledged. None should have.
        assert.deepStrictEqual(diagnosticsOf(user), [])
        const share = acknowledged.length / started
        console.log(`${started} hooks, ${killed} killed at work, ${acknowledged.length} acknowledged, seed ${seed}`)
        assert.isAtLeast(share, 0.9)
        assert.isAtLeast(killed, kills / 4)

        yield* Effect.gen(function* () {
          // A last hook, which meets whatever the killed ones left behind.
          const last = runHook(program, user, payload(user, "last"))
          assert.deepStrictEqual([last.status, last.stdout], [0, ""])
          const { directory, manifest } = claudeArchive(user, "crash")
          const found: Array<string> = []
          const sequences: Array<number> = []
          const damage: Array<string> = []
          yield* readEvents(directory, manifestOf(manifest), {
            record: (record) => {
              if (record._tag === "Damage") damage.push(record.problem)
              else {
                sequences.push(record.event.sequence)
                if (record.event.kind === "user_prompt") found.push(record.event.payload.text)
              }
            },
            spooled: (event) => {
              if (event.kind === "user_prompt") found.push(event.payload.text)
            }
          })
          assert.deepStrictEqual(damage, [])
          assert.deepStrictEqual(
            sequences,
            sequences.map((_, index) => index + 1)
          )
          const there = new Set(found)
          assert.strictEqual(there.size, found.length, "no event twice")
          assert.deepStrictEqual(
            acknowledged.filter((name) => !there.has(name)),
            []
          )
          assert.isTrue(there.has("last"))
          assert.deepInclude(yield* verifyArchive(directory), { verdict: "complete" })
          assert.isFalse(fs.existsSync(claudeArchive(user, "crash").lock))
        }).pipe(Effect.provide(machineOf(user)))
      }),
    Math.max(120_000, kills * 2_000)
  )
})
