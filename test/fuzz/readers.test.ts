import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Layer from "effect/Layer"
import { listAnchors } from "../../src/archive/anchor.ts"
import { parseLine } from "../../src/archive/eventLog.ts"
import { Keyring } from "../../src/archive/Keyring.ts"
import { listArchives } from "../../src/archive/readArchive.ts"
import { Configuration } from "../../src/control/Configuration.ts"
import { Toggles } from "../../src/control/Toggles.ts"
import { verifyBundle } from "../../src/evidence/air/bundle.ts"
import { indentedJson, parseJson } from "../../src/evidence/air/json.ts"
import { referenceVerdict } from "../../src/evidence/air/referenceVerdict.ts"
import { readRuns } from "../../src/evidence/air/runs.ts"
import { readExperiment } from "../../src/experiment/experimentFile.ts"
import { exampleScenario, startingFile } from "../../src/experiment/startingFile.ts"
import { inspectArchive } from "../../src/export/inspection.ts"
import { checkMessage } from "../../src/mcp/envelope.ts"
import { MessageReader } from "../../src/mcp/framing.ts"
import type { Disk } from "../../src/platform/Disk.ts"
import { parseScenario } from "../../src/scenario/scenarioFile.ts"
import { heldBy } from "../crash/archiveCheck.ts"
import { append, ended, filesOf, prompt, started } from "../support/events.ts"
import { reportFigures } from "../support/proofRun.ts"
import { diagnosticsOf, machineOf, recordingUser, type TestUser } from "../support/recording.ts"
import type { Random } from "../support/seededRandom.ts"
import { casesEach, fixtureBytes, fixtureFiles, fuzz } from "./fuzzing.ts"
import { mutateBytes, mutateJsonText } from "./mutate.ts"

const timeLimit = 300_000 + casesEach * 1_000

/** A failure of its own kind is an answer; anything else is a fault. */
const problemOf = <A, E>(exit: Exit.Exit<A, E>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const defect = exit.cause.reasons.some((reason) => reason._tag === "Die")
  return defect ? Cause.pretty(exit.cause).slice(0, 800) : undefined
}

const judged = (results: Readonly<Record<string, Awaited<ReturnType<typeof fuzz>>>>, name: string) => {
  reportFigures(name, results)
  assert.deepStrictEqual(
    Object.values(results).flatMap((result) => result.findings),
    []
  )
}

const parsed = (file: string): unknown => {
  try {
    return JSON.parse(fs.readFileSync(file, "utf8"))
  } catch {
    return {}
  }
}

describe("the files of an archive and of its user, with anything changed in them", () => {
  it.live(
    "are read without a fault, and the session goes on with all that is whole",
    () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        const files = filesOf(user)
        const within = <A, E>(effect: Effect.Effect<A, E, Layer.Success<ReturnType<typeof machineOf>>>) =>
          Effect.runPromiseExit(effect.pipe(Effect.provide(machineOf(user))))
        yield* Effect.gen(function* () {
          yield* append(user, [started(), prompt("a"), prompt("b")])
          yield* append(user, [prompt("c"), ended()])
        }).pipe(Effect.provide(machineOf(user)))
        fs.mkdirSync(files.spool)
        const anchors = path.join(user.state, "anchors")
        const targets: Readonly<Record<string, string>> = {
          events: files.events,
          manifest: files.manifest,
          checkpoint: files.checkpoint,
          checksums: files.checksums,
          recovery: files.recovery,
          spool: path.join(files.spool, "000000000000001-1-aa.json"),
          lock: files.lock,
          state: path.join(user.project, ".lint-ai/state.json"),
          config: path.join(user.project, ".lint-ai/config.json"),
          diagnostics: path.join(user.project, ".lint-ai/diagnostics.jsonl"),
          keys: path.join(user.config, "keys.json"),
          anchor: path.join(anchors, fs.readdirSync(anchors)[0] ?? "")
        }
        const backup = `${user.directory}-before`
        fs.cpSync(user.directory, backup, { recursive: true })
        const restore = () => {
          fs.rmSync(user.directory, { recursive: true })
          fs.cpSync(backup, user.directory, { recursive: true })
        }
        const results: Record<string, Awaited<ReturnType<typeof fuzz>>> = {}
        yield* Effect.promise(async () => {
          for (const [name, file] of Object.entries(targets)) {
            const original = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.from("{}")
            const make = (random: Random) =>
              name === "events" || random.oneIn(2)
                ? mutateBytes(original, random)
                : mutateJsonText(parsed(file), random)
            results[name] = await fuzz(`file-${name}`, make, async (input) => {
              restore()
              fs.writeFileSync(file, input)
              const read = problemOf(await within(everything(user)))
              if (read !== undefined) return `reading: ${read}`
              if (name === "lock") fs.rmSync(file)
              const went = await within(append(user, [prompt("d")], { lockWaitMs: 200 }))
              const problem = problemOf(went)
              if (problem !== undefined) return `going on: ${problem}`
              if (!Exit.isSuccess(went)) return undefined
              const after = await within(heldBy(files))
              if (!Exit.isSuccess(after)) return `afterwards: ${problemOf(after)}`
              return after.value.events.some((event) => JSON.stringify(event.payload).includes('"d"'))
                ? undefined
                : "what was appended is not there"
            })
          }
        })
        fs.rmSync(backup, { recursive: true })
        judged(results, "fuzz-files")
      }),
    timeLimit * 4
  )
})

/** Every reader of what lies in a project and with its user. */
const everything = Effect.fnUntraced(function* (user: TestUser) {
  const files = filesOf(user)
  yield* Effect.exit(heldBy(files))
  yield* Effect.ignore(inspectArchive(files.directory))
  yield* listArchives(path.dirname(files.directory))
  yield* listAnchors()
  const consent = yield* (yield* Toggles).read(user.project)
  if (consent._tag === "adopted") yield* (yield* Configuration).load(user.project, consent)
  yield* (yield* Keyring).current
  yield* Effect.ignore((yield* Keyring).list)
  return diagnosticsOf(user).length
})

describe("messages, records and files from elsewhere, with anything changed in them", () => {
  it.live(
    "are read or refused",
    () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        const within = <A, E>(effect: Effect.Effect<A, E, Disk>) =>
          Effect.runPromiseExit(effect.pipe(Effect.provide(machineOf(user))))
        const request = {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "search", arguments: { query: "x", top_k: 5 } }
        }
        const airRecords = fixtureFiles("air", /\.air\.json$/)
        const bundles = fixtureFiles("air/evidence-bundle", /\.air-evidence$/)
        const experiment = startingFile({
          id: "one",
          repository: "..",
          provider: "claude",
          model: "m",
          repetitions: 3,
          scenarios: ["scenarios/one.json"],
          memory: { from: "empty" }
        })
        const results: Record<string, Awaited<ReturnType<typeof fuzz>>> = {}
        yield* Effect.promise(async () => {
          results.line = await fuzz(
            "line",
            (random) =>
              mutateBytes(Buffer.from('{"schema_version":1,"sequence":1}{"schema_version":1,'.repeat(20)), random),
            (input) => {
              parseLine(input, 0, false)
              return undefined
            }
          )
          results.mcp = await fuzz(
            "mcp",
            (random) => {
              const text = mutateJsonText(request, random)
              return random.oneIn(2)
                ? Buffer.concat([text, Buffer.from("\n")])
                : mutateBytes(Buffer.concat([Buffer.from(`Content-Length: ${text.length}\r\n\r\n`), text]), random)
            },
            (input) => {
              const reader = new MessageReader(100_000)
              const half = Math.floor(input.length / 2)
              for (const one of [
                ...reader.push(input.subarray(0, half)),
                ...reader.push(input.subarray(half)),
                ...reader.end()
              ]) {
                if (one._tag === "Message") checkMessage(one.text)
              }
              return undefined
            }
          )
          results.air = await fuzz(
            "air",
            (random) => {
              const bytes = fixtureBytes(random.pick(airRecords))
              return random.oneIn(2) ? mutateBytes(bytes, random) : mutateJsonText(JSON.parse(bytes.toString()), random)
            },
            async (input) => {
              const value = parseJson(input)
              if (value !== undefined) indentedJson(value)
              const directory = path.join(user.home, "runs")
              fs.rmSync(directory, { recursive: true, force: true })
              fs.mkdirSync(directory)
              fs.writeFileSync(path.join(directory, "one.air.json"), input)
              const runs = await within(readRuns(directory, true))
              if (Exit.isSuccess(runs)) referenceVerdict(runs.value.files, "key")
              return problemOf(runs)
            }
          )
          results.bundle = await fuzz(
            "bundle",
            (random) => mutateBytes(fixtureBytes(random.pick(bundles)), random),
            (input) => {
              verifyBundle(input, { key: "key" })
              return undefined
            }
          )
          results.scenario = await fuzz(
            "scenario",
            (random) => mutateJsonText(exampleScenario, random),
            (input) => {
              parseScenario(input)
              return undefined
            }
          )
          results.experiment = await fuzz(
            "experiment",
            (random) => mutateBytes(Buffer.from(experiment), random),
            async (input) => {
              const file = path.join(user.home, "experiment.jsonc")
              fs.writeFileSync(file, input)
              return problemOf(await within(readExperiment(file)))
            }
          )
        })
        judged(results, "fuzz-readers")
      }),
    timeLimit * 4
  )
})
