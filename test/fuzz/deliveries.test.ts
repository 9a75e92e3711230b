import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { inject } from "vitest"
import { type Provider, providers } from "../../src/domain/provider.ts"
import { verifyArchive } from "../../src/evidence/verify.ts"
import { adapterFor } from "../../src/providers/registry.ts"
import { Recorder } from "../../src/recorder/Recorder.ts"
import { recordedUsers } from "../crash/crashUser.ts"
import { run } from "../crash/hookRun.ts"
import { reportFigures } from "../support/proofRun.ts"
import { compiledHook, diagnosticsOf, machineOf, strictEvents, type TestUser } from "../support/recording.ts"
import type { Random } from "../support/seededRandom.ts"
import { casesEach, fixtureBytes, fixtureFiles, fuzz, jsonFixtures } from "./fuzzing.ts"
import { mutateBytes, mutateJsonText } from "./mutate.ts"

/** A secret that may stand anywhere in what an agent sends, and nowhere in what is kept or told. */
const secret = `ghp_${"Zq7Lw2Xr9Kt4Vb8Nc3Md6Hf1Jg5Ps0YaUeIoAB".slice(0, 36)}`
const spice = [secret, `export TOKEN=${secret}`, { token: secret }, `-----BEGIN\n${secret}`]

const payloads: Readonly<Record<Provider, ReadonlyArray<unknown>>> = {
  claude: jsonFixtures("claude", /^[A-Z].*\.json$/),
  codex: jsonFixtures("codex", /^[a-z-]+-\d+\.json$/),
  gemini: jsonFixtures("gemini", /^[A-Z].*\.json$/),
  antigravity: jsonFixtures("antigravity", /^[A-Z].*\.json$/)
}
const transcripts: Readonly<Record<Provider, ReadonlyArray<string>>> = {
  claude: fixtureFiles("claude/transcripts", /\.jsonl$/),
  codex: fixtureFiles("codex/rollouts", /\.jsonl$/),
  gemini: fixtureFiles("gemini", /^session-.*\.jsonl$/),
  antigravity: fixtureFiles("antigravity", /^transcript.*\.jsonl$/)
}

const antigravityEvents = ["SessionStart", "PreInvocation", "PostInvocation", "PostToolUse", "Stop"]

/** Records one payload as the hook does, in this process. */
const recording = (user: TestUser, provider: Provider) => {
  const runtime = ManagedRuntime.make(machineOf(user))
  const adapter = adapterFor(provider)
  if (adapter === undefined) throw new Error(provider)
  let turn = 0
  const deliver = Effect.fnUntraced(function* (payload: unknown) {
    // Antigravity CLI names its events on the command line alone.
    const event = provider === "antigravity" ? antigravityEvents[turn++ % antigravityEvents.length] : undefined
    const delivery = yield* adapter.read({ payload, event, env: user.env })
    const recorder = yield* Recorder
    return yield* recorder.record(adapter, { ...delivery, cwd: user.project, projectDirectory: user.project }, 5_000)
  })
  return {
    close: () => runtime.dispose(),
    give: async (payload: unknown): Promise<string | undefined> => {
      const exit = await runtime.runPromiseExit(deliver(payload))
      if (Exit.isSuccess(exit)) return undefined
      const error = Cause.squash(exit.cause)
      const tag = typeof error === "object" && error !== null && "_tag" in error ? String(error._tag) : undefined
      if (JSON.stringify(error)?.includes(secret)) return "the error holds the secret"
      return tag === "PayloadInvalid" ? undefined : `failed with ${tag ?? Cause.pretty(exit.cause).slice(0, 500)}`
    }
  }
}

const parsed = (input: Buffer): unknown => {
  try {
    return JSON.parse(input.toString("utf8"))
  } catch {
    return undefined
  }
}

describe("what agents send, with anything changed in it", () => {
  for (const provider of providers) {
    it.live(
      `(${provider}) is recorded or refused, and keeps no secret`,
      () =>
        Effect.gen(function* () {
          const [user] = yield* recordedUsers(1)
          assert.isDefined(user)
          const { give, close } = recording(user, provider)
          const make = (random: Random) => mutateJsonText(random.pick(payloads[provider]), random, spice)
          const result = yield* Effect.promise(() =>
            fuzz(`payload-${provider}`, make, (input) => {
              const payload = parsed(input)
              return payload === undefined ? undefined : give(payload)
            })
          )
          const whole = yield* Effect.promise(() =>
            fuzz(
              `transcript-${provider}`,
              (random) => mutateBytes(fixtureBytes(random.pick(transcripts[provider])), random),
              async (input) => {
                const file = path.join(user.home, "transcript.jsonl")
                fs.writeFileSync(file, input)
                // Each kind of delivery may have its own way to read a transcript.
                const seen = new Set<unknown>()
                for (const payload of payloads[provider]) {
                  if (typeof payload !== "object" || payload === null) continue
                  const event = "hook_event_name" in payload ? payload.hook_event_name : Object.keys(payload).join()
                  if (seen.has(event)) continue
                  seen.add(event)
                  const problem = await give({ ...payload, transcript_path: file, transcriptPath: file })
                  if (problem !== undefined) return problem
                }
                return undefined
              }
            )
          )
          yield* Effect.promise(close)
          reportFigures(`fuzz-${provider}`, { payloads: result, transcripts: whole })
          assert.deepStrictEqual([...result.findings, ...whole.findings], [])
          // Whatever came, every record is whole.
          const root = path.join(user.project, ".lint-ai", `${provider}-sessions`)
          for (const name of fs.readdirSync(root).filter((one) => !one.startsWith("."))) {
            for (const { event_id, payload } of strictEvents(path.join(root, name, "events.jsonl"))) {
              // What was sent as an id stays one: ids tell events apart, and are named as such in the envelope.
              assert.isFalse(JSON.stringify(payload).includes(secret), event_id)
            }
            const verification = yield* verifyArchive(path.join(root, name)).pipe(Effect.provide(machineOf(user)))
            assert.strictEqual(verification?.verdict, "complete", `${name}: ${verification?.reasons}`)
          }
        }),
      300_000 + casesEach * 1_000
    )
  }

  it.live(
    "harms no agent when the program itself gets it on stdin",
    () =>
      Effect.gen(function* () {
        const [user] = yield* recordedUsers(1)
        assert.isDefined(user)
        const program = compiledHook(inject("builtProgram"))
        const result = yield* Effect.promise(() =>
          fuzz(
            "stdin",
            (random) => {
              const provider = random.pick(providers)
              const bytes = mutateJsonText(random.pick(payloads[provider]), random, spice)
              return Buffer.concat([Buffer.from(`${provider}\n`), bytes])
            },
            async (input) => {
              if (input.length % 4 !== 0 && casesEach < 1_000) return undefined // starting a program costs more than the rest
              const newline = input.indexOf(0x0a)
              const provider = input.subarray(0, newline).toString()
              const event = provider === "antigravity" ? ["Stop"] : []
              const end = await run([...program, "hook", provider, ...event], user, input.subarray(newline + 1))
              const fine = end.exitCode === 0 && ["", "{}"].includes(end.stdout) && end.stderr === ""
              return fine ? undefined : `ended with ${end.exitCode} ${end.signal} ${end.stdout} ${end.stderr}`
            }
          )
        )
        reportFigures("fuzz-stdin", { stdin: result })
        assert.deepStrictEqual(result.findings, [])
        for (const diagnostic of diagnosticsOf(user)) assert.notInclude(JSON.stringify(diagnostic), secret)
      }),
    300_000 + casesEach * 2_000
  )
})
