import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { Keyring } from "../../src/archive/Keyring.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import type { Fault } from "../support/faultPoints.ts"
import { reportFigures, seed, sizeOf } from "../support/proofRun.ts"
import { compiledHook, machineOf, type TestUser } from "../support/recording.ts"
import { seededRandom } from "../support/seededRandom.ts"
import { changes, read, recordedUsers, tracedIn } from "./crashUser.ts"
import { agentSession } from "./deliveries.ts"
import { run, runDelivery } from "./hookRun.ts"

/** How many commands die; `npm run test:crash` kills more. */
const kills = sizeOf("CRASH_COMMAND_KILLS", 36)
const program = () => compiledHook(inject("faultyProgram"))

const settingsOf = (user: TestUser): string => path.join(user.project, ".claude", "settings.json")
/** What the user has in the agent's settings before lint-ai comes. */
const ownSettings = {
  model: "opus",
  hooks: { Stop: [{ hooks: [{ type: "command", command: "own" }] }] }
}

const request = (id: number, method: string, params: object) =>
  `${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`
const toolCalls = [
  request(1, "initialize", {
    protocolVersion: "2025-11-25",
    capabilities: {},
    clientInfo: { name: "t", version: "0" }
  }),
  request(2, "tools/call", { name: "enable_lint_ai", arguments: {} }),
  request(3, "tools/call", { name: "disable_lint_ai", arguments: {} }),
  request(4, "tools/call", { name: "record_session", arguments: { action: "stop" } }),
  request(5, "tools/call", { name: "record_session", arguments: { action: "start" } })
].join("")

interface Victim {
  readonly args: ReadonlyArray<string>
  readonly input?: string
  /** Exit codes of the same command after one that was killed: what was done is not there to be done again. */
  readonly again?: ReadonlyArray<number>
  /** Whether the command may take the session away, or stop the recording. */
  readonly removes?: boolean
  readonly stops?: boolean
}

/** Every command that writes. */
const victims: ReadonlyArray<Victim> = [
  { args: ["record", "start", "codex"] },
  { args: ["record", "stop", "claude"], stops: true },
  { args: ["enable", "claude"] },
  { args: ["disable", "claude"] },
  { args: ["evidence", "key", "rotate"] },
  { args: ["sessions", "list"] },
  { args: ["sessions", "recover"] },
  { args: ["sessions", "recover", "--finalize"] },
  { args: ["sessions", "delete", "commands", "--yes"], again: [0, 3], removes: true },
  { args: ["sessions", "prune", "--keep", "0", "--yes"], removes: true },
  { args: ["install", "claude", "--scope", "project", "--session-recording", "capture-only", "--yes"] },
  { args: ["uninstall", "claude", "--scope", "project", "--yes"] },
  { args: ["mcp", "serve", "claude"], input: toolCalls }
]

describe("a command, or the MCP server, that is killed before any of its operations on the disk", () => {
  it.live(
    `leaves everything as it was or as it should be (${kills} killed, seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const random = seededRandom(seed)
        const [user] = yield* recordedUsers(1)
        assert.isDefined(user)
        const own = path.dirname(user.project)
        const backup = `${own}-before`
        const wrong: Array<string> = []
        const killed: Record<string, number> = {}

        const prepared = Effect.promise(async () => {
          fs.mkdirSync(path.dirname(settingsOf(user)), { recursive: true })
          fs.writeFileSync(settingsOf(user), JSON.stringify(ownSettings, undefined, 2))
          const session = agentSession(user, "claude", "commands")
          for (const delivery of [session.step(0), session.step(1), session.end(2)]) {
            await runDelivery(program(), user, delivery)
          }
          // Work is waiting: an end without checksums is settled by `sessions list`.
          fs.rmSync(path.join(user.project, ".lint-ai/claude-sessions/claude-commands/checksums.json"))
          fs.cpSync(own, backup, { recursive: true })
        })
        const restore = () => {
          fs.rmSync(own, { recursive: true })
          fs.cpSync(backup, own, { recursive: true })
        }
        const start = (victim: Victim, options: { env?: Record<string, string>; faults?: ReadonlyArray<Fault> } = {}) =>
          run([...program(), ...victim.args], user, victim.input ?? "", options)

        const pointsOf = async (victim: Victim) => {
          restore()
          const trace = path.join(backup, "trace")
          fs.rmSync(trace, { force: true })
          const end = await start(victim, { env: { LINT_AI_TEST_TRACE: trace } })
          if (end.exitCode !== 0) {
            wrong.push(`${victim.args.join(" ")} ended with ${end.exitCode}: ${end.stderr}`)
            return []
          }
          const points = tracedIn(trace)
          fs.rmSync(trace)
          // What only reads is the same death many times over.
          return points.filter(
            ({ operation, place }) => changes.has(operation) || (place !== "proc" && random.oneIn(12))
          )
        }

        const kill = async (victim: Victim, point: Omit<Fault, "side" | "action">) => {
          const name = `${victim.args.join(" ")} before ${point.place} ${point.operation} ${point.nth}`
          const note = (what: string) => wrong.push(`${name}: ${what}`)
          restore()
          const end = await start(victim, { faults: [{ ...point, side: "before", action: "kill" }] })
          if (end.signal !== "SIGKILL") return
          const [command = ""] = victim.args
          killed[command] = (killed[command] ?? 0) + 1
          for (const fault of await left(user, victim)) note(`right after: ${fault}`)
          const again = await start(victim)
          if (!(victim.again ?? [0]).includes(again.exitCode ?? -1)) {
            note(`again it ended with ${again.exitCode} ${again.signal}: ${again.stdout} ${again.stderr}`)
          }
          for (const fault of await left(user, victim)) note(`when done again: ${fault}`)
          if (victim.stops === true) return
          const delivery = agentSession(user, "claude", "later").step(0)
          await runDelivery(program(), user, delivery)
          const held = await read(user, "claude", "later")
          if (held.verification?.verdict !== "complete") note(`the next hook left ${held.verification?.verdict}`)
        }

        yield* prepared
        yield* Effect.promise(async () => {
          const cases: Array<readonly [Victim, Omit<Fault, "side" | "action">]> = []
          for (const victim of victims) {
            for (const point of await pointsOf(victim)) cases.push([victim, point])
          }
          for (const [victim, point] of random.sample(cases, kills)) await kill(victim, point)
        })
        reportFigures("crash-commands", { killed })
        assert.deepStrictEqual(wrong.slice(0, 20), [])
      }),
    240_000 + kills * 10_000
  )
})

/** What is wrong with what a command left: consent, keys, the agent's settings, the session. */
const left = (user: TestUser, victim: Victim): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const faults: Array<string> = []
    const consent = yield* (yield* Toggles).read(user.project)
    if (consent._tag !== "adopted") faults.push(`the project is ${consent._tag}`)
    else if (consent.providers.gemini?.recording !== true) faults.push("another agent's recording is off")
    const keys = yield* Effect.orElseSucceed((yield* Keyring).list, () => [])
    if (keys.length === 0) faults.push("the keys are gone")
    const settings: unknown = (() => {
      try {
        return JSON.parse(fs.readFileSync(settingsOf(user), "utf8"))
      } catch {
        return undefined
      }
    })()
    const text = JSON.stringify(settings) ?? ""
    if (!text.includes('"model":"opus"') || !text.includes('"command":"own"')) faults.push(`the settings are ${text}`)
    const held = yield* Effect.promise(() => read(user, "claude", "commands"))
    const verdict = held.verification?.verdict
    // Without its checksums an ended session is not complete; a session that is being removed is not there any more.
    const fine = verdict === "complete" || verdict === "partial"
    if (!fine && victim.removes !== true) faults.push(`the session is ${verdict}: ${held.verification?.reasons}`)
    if (held.inLog < 3 && victim.removes !== true) faults.push(`${held.inLog} events are left`)
    return faults
  }).pipe(Effect.provide(machineOf(user)), Effect.runPromise)
