import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { readManifest } from "../../src/archive/manifestFile.ts"
import { providers } from "../../src/domain/provider.ts"
import type { Fault } from "../support/faultPoints.ts"
import { reportFigures, seed, sizeOf } from "../support/proofRun.ts"
import { compiledHook, diagnosticsOf, machineOf, type TestUser } from "../support/recording.ts"
import { seededRandom } from "../support/seededRandom.ts"
import { archiveOf, faultsOf, heldBy } from "./archiveCheck.ts"
import { pointsOf, recordedUsers } from "./crashUser.ts"
import { type AgentSession, agentSession, type HookDelivery, tokensOfMessage, transcriptLines } from "./deliveries.ts"
import { type RunEnd, runDelivery } from "./hookRun.ts"

/** How many hooks die; `npm run test:crash` kills at least 10,000. */
const kills = sizeOf("CRASH_KILLS", 90)
/** Sessions at the same time, each of a project of its own, and hooks at the same time on each of them. */
const projects = sizeOf("CRASH_PROJECTS", 2)
const writers = 2
/** Deliveries of one writer to one session. Most are meant to die. */
const steps = 16
const meantToDie = 0.85
/** A waiting hook must get the lock, however slow the machine is: what goes to the spool is tested elsewhere. */
const patient = { LINT_AI_HOOK_TIMEOUT_MS: "30000" }

const program = () => compiledHook(inject("faultyProgram"))

interface Tally {
  killed: number
  hooks: number
  sessions: number
  readonly byCause: Record<"before" | "after" | "tear" | "outside", number>
}

describe("hooks that are killed anywhere, with others at work on the same session", () => {
  it.live(
    `lose nothing that was acknowledged (${kills} killed, seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const random = seededRandom(seed)
        const users = yield* recordedUsers(projects)
        const wrong: Array<string> = []
        const tally: Tally = { killed: 0, hooks: 0, sessions: 0, byCause: { before: 0, after: 0, tear: 0, outside: 0 } }
        const points = yield* Effect.promise(() => allPoints(users[0] as TestUser))
        const times: Array<number> = []

        /** Where a hook is to die: at one of its operations, or at any moment of its usual time. */
        const fate = (): {
          readonly cause: keyof Tally["byCause"]
          readonly faults?: ReadonlyArray<Fault>
          readonly killAfterMs?: number
        } => {
          if (random.oneIn(4)) {
            const usual = times.slice(-20).sort((a, b) => a - b)[10] ?? 50
            return { cause: "outside", killAfterMs: random.next() * usual * 1.2 }
          }
          const point = random.pick(points)
          if (point.operation === "write" && random.oneIn(2)) {
            return { cause: "tear", faults: [{ ...point, side: "before", action: "tear" }] }
          }
          const side = random.oneIn(2) ? "before" : "after"
          return { cause: side, faults: [{ ...point, side, action: "kill" }] }
        }

        const oneSession = async (user: TestUser, name: string) => {
          const session = agentSession(user, random.pick(providers), name)
          const acknowledged: Array<string> = []
          const sent: Array<string> = []
          const lost: Array<HookDelivery> = []
          const told = (end: RunEnd, delivery: HookDelivery) => {
            tally.hooks++
            if (end.exitCode === 0 && end.stdout === delivery.answer && end.stderr === "") {
              acknowledged.push(delivery.mark)
              return
            }
            if (end.signal !== "SIGKILL")
              wrong.push(`${name}: a hook ended with ${end.exitCode} ${end.stdout} ${end.stderr}`)
            lost.push(delivery)
          }
          const writer = async (number: number) => {
            for (let step = 0; step < steps; step++) {
              const n = number * steps + step
              const delivery = random.oneIn(6) ? session.end(n) : session.step(n)
              sent.push(delivery.mark)
              const { cause, ...death } = random.next() < meantToDie ? fate() : { cause: undefined }
              const end = await runDelivery(program(), user, delivery, { ...death, env: patient })
              told(end, delivery)
              if (end.signal === "SIGKILL") {
                tally.killed++
                if (cause !== undefined) tally.byCause[cause]++
              } else times.push(end.ms)
            }
          }
          await Promise.all(Array.from({ length: writers }, (_, n) => writer(n)))
          // An agent that was killed with its hook tells some of its steps again. An end that comes after other steps is the end of another run.
          const again = lost.filter((delivery) => !isEnd(delivery.mark))
          for (const delivery of random.sample(again, 2)) {
            told(await runDelivery(program(), user, delivery, { env: patient }), delivery)
          }
          const last = session.step(writers * steps)
          sent.push(last.mark)
          for (const delivery of [last, session.end(writers * steps + 1), ...session.late(writers * steps + 2)]) {
            told(await runDelivery(program(), user, delivery, { env: patient }), delivery)
          }
          tally.sessions++
          for (const fault of await judge(user, session, { acknowledged: withoutEnds(acknowledged), sent })) {
            wrong.push(`${session.provider} ${name}: ${fault}`)
          }
        }

        yield* Effect.promise(() =>
          Promise.all(
            users.map(async (user, project) => {
              for (let n = 0; tally.killed < kills && wrong.length < 20; n++)
                await oneSession(user, `any-${project}-${n}`)
            })
          )
        )
        for (const user of users) {
          for (const { tag, detail } of diagnosticsOf(user)) wrong.push(`diagnostic ${tag} ${detail}`)
        }
        reportFigures("crash-anywhere", {
          ...tally,
          points: points.length,
          passed: wrong.length === 0,
          findings: wrong.slice(0, 20)
        })
        assert.deepStrictEqual(wrong.slice(0, 20), [])
        assert.isAtLeast(tally.killed, kills)
      }),
    Math.max(180_000, kills * 4_000)
  )
})

/** An end right after an end is a retry of the first and adds nothing, so its own mark need not be there. */
const withoutEnds = (marks: ReadonlyArray<string>) => marks.filter((mark) => !isEnd(mark))
const isEnd = (mark: string): boolean => mark.includes("-end-")

/** Every operation of a first, a later and a last hook of every agent. */
const allPoints = async (user: TestUser) => {
  const found = new Map<string, Omit<Fault, "side" | "action">>()
  for (const provider of providers) {
    const session = agentSession(user, provider, "traced")
    for (const delivery of [session.step(0), session.step(1), session.end(2)]) {
      for (const point of await pointsOf(program(), user, delivery)) {
        found.set(`${point.place} ${point.operation} ${point.nth}`, point)
      }
    }
  }
  return [...found.values()]
}

const judge = (
  user: TestUser,
  session: AgentSession,
  told: { readonly acknowledged: ReadonlyArray<string>; readonly sent: ReadonlyArray<string> }
): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const files = archiveOf(user, session.provider, session.id)
    const held = yield* heldBy(files)
    const faults = [...faultsOf(held, { ...told, settled: true })]
    const reading = yield* readManifest(files.manifest)
    if (reading._tag !== "Manifest") return [...faults, "no manifest"]
    if (session.provider === "claude") {
      // Every message of the transcript is counted once, however many hooks died while they read it.
      const used = reading.manifest.usage?.["claude-transcript"]?.output_tokens ?? 0
      const there = transcriptLines(user, session.id) * tokensOfMessage
      if (used !== there) faults.push(`${used} tokens are counted, ${there} were used`)
    }
    if (reading.manifest.event_count !== held.inLog) faults.push("the manifest counts other events")
    return faults
  }).pipe(Effect.provide(machineOf(user)), Effect.runPromise)
