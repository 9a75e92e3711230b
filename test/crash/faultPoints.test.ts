import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { type Provider, providers } from "../../src/domain/provider.ts"
import type { Fault } from "../support/faultPoints.ts"
import { reportFigures, seed, sizeOf } from "../support/proofRun.ts"
import { compiledHook, diagnosticsOf, type TestUser } from "../support/recording.ts"
import { seededRandom } from "../support/seededRandom.ts"
import { faultsOf, timesOf } from "./archiveCheck.ts"
import { inLanes, pointsOf, read, recordedUsers } from "./crashUser.ts"
import { agentSession, type HookDelivery } from "./deliveries.ts"
import { type RunEnd, runDelivery } from "./hookRun.ts"

const lanes = 4
/** How many of the points are tried; `npm run test:crash` tries all. */
const tried = sizeOf("CRASH_POINTS", 80)
/** On a machine that others share, a case may take a second. */
const timeLimit = 120_000 + tried * 3_000
const random = seededRandom(seed)
const program = () => compiledHook(inject("faultyProgram"))

/** A hook may be hit at the first event of a session, at a later one, and at its end. */
const stages = ["opening", "continuing", "ending"] as const
type Stage = (typeof stages)[number]

const readings: ReadonlySet<string> = new Set(["read", "stat", "readlink", "realpath", "list"])

interface Case {
  readonly provider: Provider
  readonly stage: Stage
  readonly faults: ReadonlyArray<Fault>
}

/** The session of one case, with the deliveries before, at and after the fault. */
const scene = (user: TestUser, { provider, stage }: Pick<Case, "provider" | "stage">, id: string) => {
  const session = agentSession(user, provider, id)
  return {
    before: stage === "opening" ? [] : [session.step(0)],
    hit: stage === "ending" ? session.end(1) : session.step(1),
    after: session.step(2)
  }
}

const casesOf = async (user: TestUser, faultsAt: (point: Omit<Fault, "side" | "action">) => ReadonlyArray<Fault>) => {
  const cases: Array<Case> = []
  for (const provider of providers) {
    for (const stage of stages) {
      const { before, hit } = scene(user, { provider, stage }, `trace-${stage}`)
      for (const delivery of before) await runDelivery(program(), user, delivery)
      for (const point of await pointsOf(program(), user, hit)) {
        for (const fault of faultsAt(point)) cases.push({ provider, stage, faults: [fault] })
      }
    }
  }
  return cases
}

const nameOf = ({ provider, stage, faults }: Case): string =>
  `${provider} ${stage} ${faults.map(({ side, place, operation, nth, action }) => `${action} ${side} ${place} ${operation} ${nth}`)}`

/** What the agent sees of a hook that was not killed. */
const isUnharmed = (end: RunEnd, { answer }: HookDelivery): boolean =>
  end.exitCode === 0 && end.stdout === answer && end.stderr === ""

describe("a hook that is killed before or after any of its operations on the disk", () => {
  it.live(
    "loses nothing that was acknowledged, and the next one goes on",
    () =>
      Effect.gen(function* () {
        const users = yield* recordedUsers(lanes)
        const [first] = users
        assert.isDefined(first)
        const wrong: Array<string> = []
        let killed = 0
        yield* Effect.promise(async () => {
          // After an operation is before the next one.
          const cases = await casesOf(first, (point) => [
            { ...point, side: "before", action: "kill" },
            ...(point.operation === "write" ? [{ ...point, side: "before", action: "tear" } as const] : [])
          ])
          await inLanes(lanes, random.sample(cases, tried), async (one, lane, index) => {
            const user = users[lane] as TestUser
            const id = `kill-${index}`
            const { before, hit, after } = scene(user, one, id)
            const note = (what: string) => wrong.push(`${nameOf(one)}: ${what}`)
            const acknowledged: Array<string> = []
            for (const delivery of before) {
              if (isUnharmed(await runDelivery(program(), user, delivery), delivery)) acknowledged.push(delivery.mark)
              else note("the delivery before it failed")
            }
            const end = await runDelivery(program(), user, hit, { faults: one.faults })
            if (end.signal === "SIGKILL") killed++
            else if (isUnharmed(end, hit)) acknowledged.push(hit.mark)
            else note(`ended with ${end.exitCode} ${end.stdout} ${end.stderr}`)
            const sent = [...before, hit].map((delivery) => delivery.mark)
            const now = await read(user, one.provider, id)
            for (const fault of faultsOf(now, { acknowledged, sent, settled: false })) note(`right after: ${fault}`)
            // The agent was killed with its hook, and tells the step again; or it goes on.
            for (const delivery of [hit, after]) {
              const next = await runDelivery(program(), user, delivery)
              if (isUnharmed(next, delivery)) acknowledged.push(delivery.mark)
              else note(`the next hook ended with ${next.exitCode} ${next.stdout} ${next.stderr}`)
            }
            const later = await read(user, one.provider, id)
            const told = { acknowledged, sent: [...sent, after.mark], settled: true }
            for (const fault of faultsOf(later, told)) note(`after the next hook: ${fault}`)
          })
        })
        for (const user of users) {
          for (const { tag, detail } of diagnosticsOf(user)) wrong.push(`diagnostic ${tag} ${detail}`)
        }
        reportFigures("crash-points", { killed })
        assert.deepStrictEqual(wrong.slice(0, 20), [])
        assert.isAtLeast(killed, Math.min(tried, 500) / 2)
      }),
    timeLimit
  )
})

describe("a hook whose disk fails at any of its operations", () => {
  it.live(
    "harms no agent, and stores the event or says that it did not",
    () =>
      Effect.gen(function* () {
        const users = yield* recordedUsers(lanes)
        const [first] = users
        assert.isDefined(first)
        const wrong: Array<string> = []
        const writeCodes = ["ENOSPC", "EIO", "EROFS", "EMFILE"]
        /** Reading fails for fewer reasons. */
        const readCodes = ["EIO", "EMFILE"]
        let failed = 0
        yield* Effect.promise(async () => {
          let turn = 0
          // Every code at every point would be four times as long and say the same: they take turns.
          const cases = await casesOf(first, (point) => {
            const codes = readings.has(point.operation) ? readCodes : writeCodes
            return point.place === "proc"
              ? []
              : [{ ...point, side: "before", action: codes[turn++ % codes.length] ?? "EIO" }]
          })
          await inLanes(lanes, random.sample(cases, tried), async (one, lane, index) => {
            const user = users[lane] as TestUser
            const id = `fail-${index}`
            const { before, hit, after } = scene(user, one, id)
            const note = (what: string) => wrong.push(`${nameOf(one)}: ${what}`)
            for (const delivery of before) await runDelivery(program(), user, delivery)
            failed++
            const told = diagnosticsOf(user).length
            const end = await runDelivery(program(), user, hit, { faults: one.faults })
            if (!isUnharmed(end, hit)) note(`ended with ${end.exitCode} ${end.signal} ${end.stdout} ${end.stderr}`)
            const silent = diagnosticsOf(user).length === told
            const next = await runDelivery(program(), user, after)
            if (!isUnharmed(next, after)) note(`the next hook ended with ${next.exitCode}`)
            const held = await read(user, one.provider, id)
            const acknowledged = [...before, ...(silent ? [hit] : []), after].map((delivery) => delivery.mark)
            const sent = [...before, hit, after].map((delivery) => delivery.mark)
            for (const fault of faultsOf(held, { acknowledged, sent, settled: true })) note(fault)
          })
        })
        reportFigures("crash-failures", { failed })
        assert.deepStrictEqual(wrong.slice(0, 40), [])
      }),
    timeLimit
  )

  it.live("and is slow at each of them still records within its time", () =>
    Effect.gen(function* () {
      const [user] = yield* recordedUsers(1)
      assert.isDefined(user)
      const slow: ReadonlyArray<Fault> = [{ place: "*", operation: "*", side: "before", nth: 0, action: "delay:4" }]
      for (const provider of providers) {
        const session = agentSession(user, provider, "slow")
        for (const delivery of [session.step(0), session.step(1), session.end(2)]) {
          const end = yield* Effect.promise(() =>
            runDelivery(program(), user, delivery, { faults: slow, env: { LINT_AI_HOOK_TIMEOUT_MS: "20000" } })
          )
          assert.isTrue(isUnharmed(end, delivery))
        }
        const held = yield* Effect.promise(() => read(user, provider, "slow"))
        assert.strictEqual(timesOf(held, session.step(1).mark), 1)
        assert.strictEqual(held.verification?.verdict, "complete")
      }
      assert.deepStrictEqual(diagnosticsOf(user), [])
    })
  )
})
