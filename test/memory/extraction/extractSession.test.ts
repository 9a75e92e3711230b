import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { listArchives } from "../../../src/archive/readArchive.ts"
import { sessionsRoot } from "../../../src/archive/sessionDirectory.ts"
import { type ExtractionRequest, type ExtractionResult, failure } from "../../../src/memory/extraction/contract.ts"
import { type ExtractionRun, extractSession } from "../../../src/memory/extraction/extractSession.ts"
import { takeReceipts } from "../../../src/memory/extraction/receipts.ts"
import { MemoryStore } from "../../../src/memory/MemoryStore.ts"
import { memoryPlace } from "../../../src/memory/memoryPlace.ts"
import { MemoryNotOwned } from "../../../src/memory/owner.ts"
import { Sqlite } from "../../../src/platform/Sqlite.ts"
import { ProviderCli } from "../../../src/providers/ProviderCli.ts"
import { Redactor } from "../../../src/redaction/Redactor.ts"
import { append, prompt, started } from "../../support/events.ts"
import { machineOf, recordingUser, type TestUser } from "../../support/recording.ts"

/** A user whose session has the prompts `part 1` to `part 6`: events 2 to 7. */
const userWithParts = Effect.gen(function* () {
  const user = yield* recordingUser
  const prompts = [1, 2, 3, 4, 5, 6].map((number) => prompt(`p${number}`, `part ${number}`))
  yield* append(user, [started(), ...prompts]).pipe(Effect.provide(machineOf(user)))
  return user
})

/** Two prompts fill a request. */
const small = { chunkBytes: 28, chunks: 2, runBytes: 1_000 }

/** Runs an extraction with an agent that answers as told; gives the report and what was asked. */
const extracting = (
  user: TestUser,
  answer: (request: ExtractionRequest, number: number) => ExtractionResult,
  more: Partial<ExtractionRun> & { readonly redactor?: Layer.Layer<Redactor> } = {}
) =>
  Effect.gen(function* () {
    const { redactor, ...options } = more
    const asked: Array<string> = []
    const { sessions } = yield* listArchives(sessionsRoot(user.project, "claude"))
    const [session] = sessions
    if (session === undefined) throw new Error("nothing was recorded")
    const report = yield* extractSession({
      session,
      place: yield* memoryPlace(user.project, "claude"),
      host: "claude",
      extract: (request) =>
        Effect.sync(() => {
          asked.push(request.transcript.text)
          return answer(request, asked.length)
        }),
      limits: small,
      ...options
    })
    return { report, asked }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        MemoryStore.layer.pipe(Layer.provideMerge(Sqlite.layer)),
        ProviderCli.layerTest("claude", () => Effect.succeed({}))
      ).pipe(
        Layer.provideMerge(machineOf(user, more.redactor === undefined ? {} : { redactor: more.redactor })),
        Layer.provideMerge(NodeServices.layer)
      )
    )
  )

const noteOf = (number: number) => ({
  kind: "memory" as const,
  title: `Part ${number}`,
  body: `What the words of part ${number} were about, number${number} alone.`,
  tags: []
})
const notes = (_: ExtractionRequest, number: number): ExtractionResult => ({ ok: true, candidates: [noteOf(number)] })
const nothing = (): ExtractionResult => ({ ok: true, candidates: [] })
const slow = failure({ reason: "extractor-timeout", host: "claude", runtime: "claude", code: null, error: "too slow" })

describe("a session that is longer than a run", () => {
  it.live("is extracted from its beginning, run after run, nothing twice and nothing left out", () =>
    Effect.gen(function* () {
      const user = yield* userWithParts
      const first = yield* extracting(user, nothing)
      assert.deepStrictEqual(first.asked, ["user: part 1\nuser: part 2", "user: part 3\nuser: part 4"])
      assert.deepInclude(first.report, { chunks: 2, more: true, events: { from: 2, to: 5 } })
      const second = yield* extracting(user, nothing)
      assert.deepStrictEqual(second.asked, ["user: part 5\nuser: part 6"])
      assert.deepInclude(second.report, { chunks: 1, more: false, events: { from: 6, to: 7 } })
      assert.deepInclude((yield* extracting(user, nothing)).report, { chunks: 0, events: null })
    }).pipe(Effect.scoped)
  )

  it.live("keeps what was extracted before a request that failed, and begins again with that one", () =>
    Effect.gen(function* () {
      const user = yield* userWithParts
      const first = yield* extracting(user, (request, number) => (number === 1 ? notes(request, 1) : slow))
      assert.deepInclude(first.report, { chunks: 1, candidates: 1, failure: slow, more: true })
      assert.deepStrictEqual(
        first.report.staged.map(({ title }) => title),
        ["Part 1"]
      )
      const second = yield* extracting(user, nothing)
      assert.strictEqual(second.asked[0], "user: part 3\nuser: part 4")
      const again = yield* extracting(user, nothing, { again: true })
      assert.strictEqual(again.asked[0], "user: part 1\nuser: part 2")
    }).pipe(Effect.scoped)
  )

  it.live("does not move the cursor when its first request fails", () =>
    Effect.gen(function* () {
      const user = yield* userWithParts
      for (const _ of [1, 2]) {
        const { report, asked } = yield* extracting(user, () => slow)
        assert.deepStrictEqual(asked, ["user: part 1\nuser: part 2"])
        assert.deepInclude(report, { chunks: 0, events: null, failure: slow })
      }
      const waiting = Effect.flatMap(memoryPlace(user.project, "claude"), takeReceipts).pipe(
        Effect.provide(machineOf(user))
      )
      // Nobody is told that it failed once it was done.
      yield* extracting(user, nothing)
      assert.deepStrictEqual(yield* waiting, [])
      yield* extracting(user, () => slow, { again: true })
      assert.lengthOf(yield* waiting, 1)
    }).pipe(Effect.scoped)
  )

  it.live("begins anew when another archive has its id", () =>
    Effect.gen(function* () {
      const user = yield* userWithParts
      yield* extracting(user, nothing, { limits: { ...small, chunks: 9 } })
      fs.rmSync(sessionsRoot(user.project, "claude"), { recursive: true })
      yield* append(user, [started(), prompt("n", "another")]).pipe(Effect.provide(machineOf(user)))
      assert.deepStrictEqual((yield* extracting(user, nothing)).asked, ["user: another"])
      assert.deepStrictEqual((yield* extracting(user, nothing)).asked, [], "and not again")
    }).pipe(Effect.scoped)
  )
})

describe("what an extraction does without", () => {
  it.live("sends nothing, and says so, when the redactor fails", () =>
    Effect.gen(function* () {
      const user = yield* userWithParts
      const { report, asked } = yield* extracting(user, notes, { redactor: Redactor.layerFailing })
      assert.deepStrictEqual(asked, [])
      assert.deepInclude(report.failure, { ok: false, reason: "transcript-unavailable" })
      assert.strictEqual((yield* extracting(user, nothing)).asked[0], "user: part 1\nuser: part 2")
    }).pipe(Effect.scoped)
  )

  it.live("asks no agent where the memory is somebody else's", () =>
    Effect.gen(function* () {
      const user = yield* userWithParts
      const segments = path.join(user.project, ".lint-ai", "claude-memory", "segments")
      fs.mkdirSync(segments, { recursive: true })
      fs.writeFileSync(path.join(segments, "00000001.jsonl"), '{"kind":"fact"}\n')
      const asked: Array<string> = []
      const error = yield* Effect.flip(
        extracting(user, (request) => {
          asked.push(request.transcript.text)
          return nothing()
        })
      )
      assert.instanceOf(error, MemoryNotOwned)
      assert.deepStrictEqual(asked, [])
    }).pipe(Effect.scoped)
  )
})
