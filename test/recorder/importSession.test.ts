import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { archiveFiles, sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../../src/domain/event.ts"
import { compareWithTranscript } from "../../src/evidence/againstTranscript.ts"
import { verifyArchive } from "../../src/evidence/verify.ts"
import { atif } from "../../src/export/atif.ts"
import { streamed } from "../../src/export/Exporter.ts"
import { jsonl } from "../../src/export/jsonl.ts"
import { importExported, importTranscript } from "../../src/recorder/importSession.ts"
import { Redactor } from "../../src/redaction/Redactor.ts"
import { problemsOf } from "../export/atifRules.ts"
import { exampleSession } from "../export/example.ts"
import { exported } from "../export/sessions.ts"
import { machineOf, manifestOf, newUser, strictEvents, type TestUser } from "../support/recording.ts"

const fixtures = path.join(import.meta.dirname, "../fixtures")
const targetOf = (user: TestUser, file: string) => ({
  file,
  projectRoot: user.project,
  sessionsRoot: (provider: "claude" | "codex" | "gemini" | "antigravity") => sessionsRoot(user.project, provider)
})
/** Assembled, so that no scanner takes this file for a leak. */
const secret = ["ghp", "_", "a1B2c3D4e5F6a1B2c3D4e5F6a1B2c3D4e5F6"].join("")

const exportedExample = (user: TestUser) =>
  Effect.gen(function* () {
    const text = yield* exported(yield* exampleSession(user), streamed(jsonl))
    const file = path.join(user.directory, "session.jsonl")
    fs.writeFileSync(file, text)
    return { file, text }
  })

describe("importing an exported session", () => {
  it.effect("makes a session of its own with the same events, a chain of its own, and says whose it is", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const { file, text } = yield* exportedExample(user)
        const imported = yield* importExported(targetOf(user, file))
        assert.deepStrictEqual([String(imported.session_id), imported.source_chain], ["claude:imported-s", "valid"])
        const files = archiveFiles(imported.path)
        const before: ReadonlyArray<ArchivedEvent> = text
          .split("\n")
          .slice(1, -1)
          .map((line) => JSON.parse(line))
        const content = ({ kind, payload, timestamp, turn_id, provider_ids }: ArchivedEvent) => ({
          kind,
          payload,
          timestamp,
          turn_id,
          provider_ids
        })
        assert.deepStrictEqual(strictEvents(files.events).map(content), before.map(content))
        const manifest = manifestOf(files.manifest)
        assert.deepInclude(manifest, {
          identity: "imported",
          status: "completed",
          started_at: "2026-08-16T12:00:00.000Z",
          ended_at: "2026-08-16T12:00:24.000Z",
          project_root: "/home/dev/project"
        })
        assert.deepInclude(yield* verifyArchive(imported.path), { verdict: "complete" })
        assert.strictEqual((yield* Effect.flip(importExported(targetOf(user, file))))._tag, "AlreadyImported")
      }).pipe(Effect.provide(machineOf(user, { redactor: Redactor.layerTransparent })))
    })
  )

  it.effect("redacts what an older recorder let through", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const { file, text } = yield* exportedExample(user)
        fs.writeFileSync(file, text.replace("Fix the build.", `Fix the build with ${secret}.`))
        const imported = yield* importExported(targetOf(user, file))
        assert.deepInclude(imported, { source_chain: "broken" })
        assert.isAbove(imported.redaction_count, 0)
        assert.notInclude(fs.readFileSync(archiveFiles(imported.path).events, "utf8"), secret)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("takes nothing of a file that is not whole", () =>
    Effect.gen(function* () {
      const spoiled: ReadonlyArray<readonly [string, (lines: Array<string>) => Array<string>, RegExp]> = [
        ["another first line", (lines) => lines.slice(1), /line 0|first line/],
        [
          "a line that is no event",
          (lines) => [...lines.slice(0, 3), "{}", ...lines.slice(3)],
          /line 4: this is no event/
        ],
        ["a torn line", (lines) => [...lines.slice(0, -1), (lines.at(-1) ?? "").slice(0, 40)], /this is no event/],
        ["an order that is none", (lines) => [...lines.slice(0, 2), ...lines.slice(2).reverse()], /order/],
        [
          "an event of another session",
          (lines) =>
            lines.map((line, n) =>
              n === 4 ? line.replace('"session_id":"claude:s"', '"session_id":"claude:t"') : line
            ),
          /line 5: this event belongs to another session/
        ],
        ["no events", (lines) => lines.slice(0, 1), /no event/],
        ["nothing", () => [], /empty|first line/]
      ]
      for (const [what, change, problem] of spoiled) {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          const { file, text } = yield* exportedExample(user)
          fs.writeFileSync(
            file,
            change(text.trimEnd().split("\n"))
              .map((line) => `${line}\n`)
              .join("")
          )
          const error = yield* Effect.flip(importExported(targetOf(user, file)))
          assert.strictEqual(error._tag, "ImportInvalid", what)
          assert.match(error.message, problem, what)
          assert.isFalse(fs.existsSync(path.join(sessionsRoot(user.project, "claude"), "claude-imported-s")), what)
        }).pipe(Effect.provide(machineOf(user)))
      }
    })
  )
})

const transcripts = [
  ...fs
    .readdirSync(path.join(fixtures, "claude/transcripts"))
    .filter((name) => name.endsWith(".jsonl") && !name.startsWith("subagent"))
    .map((name) => ["claude", path.join(fixtures, "claude/transcripts", name)] as const),
  ...fs
    .readdirSync(path.join(fixtures, "transcripts/codex"))
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => ["codex", path.join(fixtures, "transcripts/codex", name)] as const)
]

describe("importing an agent's own transcript", () => {
  for (const [provider, file] of transcripts) {
    it.effect(`gives a session that verifies, exports and agrees with it call by call: ${path.basename(file)}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          const imported = yield* importTranscript(targetOf(user, file), provider)
          const files = archiveFiles(imported.path)
          assert.deepInclude(yield* verifyArchive(imported.path), { verdict: "complete", reasons: [] })
          const events = strictEvents(files.events)
          assert.strictEqual(events[0]?.kind, "session_start")
          assert.strictEqual(events.at(-1)?.kind, "session_end")
          // A subagent of the second generation is asked by a message that is encrypted.
          const isAsked = !file.endsWith("rollout-sub2-child.jsonl")
          assert.strictEqual(
            events.some((event) => event.kind === "user_prompt"),
            isAsked
          )
          assert.strictEqual(manifestOf(files.manifest).identity, "imported")
          assert.strictEqual(manifestOf(files.manifest).ended_at, events.at(-1)?.timestamp)
          assert.deepStrictEqual(problemsOf(JSON.parse(yield* exported(imported.path, atif))), [])
          const comparison = yield* compareWithTranscript(imported.path, file)
          assert.isTrue(comparison?.agrees, JSON.stringify(comparison))
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }

  it.effect("redacts it", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const file = path.join(user.directory, "t.jsonl")
        const text = fs.readFileSync(path.join(fixtures, "claude/transcripts/main-332.jsonl"), "utf8")
        assert.include(text, "echo hello")
        fs.writeFileSync(file, text.replaceAll("echo hello", `echo ${secret}`))
        const imported = yield* importTranscript(targetOf(user, file), "claude")
        assert.notInclude(fs.readFileSync(archiveFiles(imported.path).events, "utf8"), secret)
        assert.isAbove(imported.redaction_count, 0)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("marks the history that a fork took over", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const file = path.join(user.directory, "fork.jsonl")
        const [first = "", ...rest] = fs
          .readFileSync(path.join(fixtures, "claude/transcripts/main-332.jsonl"), "utf8")
          .split("\n")
        const copied = (line: string) =>
          line.includes('"type":"user"') && line.includes('"promptId"')
            ? line.replace(/^\{/, '{"forkedFrom":{"sessionId":"another"},')
            : line
        fs.writeFileSync(file, [first, ...rest].map(copied).join("\n"))
        const imported = yield* importTranscript(targetOf(user, file), "claude")
        const trajectory = JSON.parse(yield* exported(imported.path, atif))
        assert.deepStrictEqual(problemsOf(trajectory), [])
        const [prompt] = trajectory.steps
        assert.deepInclude(prompt, { source: "user", is_copied_context: true })
        assert.isUndefined(trajectory.steps.at(-1).is_copied_context)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("is refused for a file that is none", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      for (const text of ["", "hello\n", '{"a":1}\n', "\u0000\u0000\u0000"]) {
        const file = path.join(user.directory, "t.jsonl")
        fs.writeFileSync(file, text)
        for (const provider of ["claude", "codex"] as const) {
          const error = yield* Effect.flip(importTranscript(targetOf(user, file), provider)).pipe(
            Effect.provide(machineOf(user))
          )
          assert.strictEqual(error._tag, "ImportInvalid")
        }
      }
    })
  )

  it.effect("and a comparison names each call that only one side has, and no text", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const file = path.join(fixtures, "claude/transcripts/main-332.jsonl")
        const imported = yield* importTranscript(targetOf(user, file), "claude")
        const other = path.join(user.directory, "other.jsonl")
        const text = fs.readFileSync(file, "utf8")
        const [first = ""] = /toolu_\w+/.exec(text) ?? []
        fs.writeFileSync(other, text.replaceAll(first, "toolu_unknown"))
        const comparison = yield* compareWithTranscript(imported.path, other)
        assert.isFalse(comparison?.agrees)
        assert.deepStrictEqual(
          [
            comparison?.not_recorded.map((call) => call.tool_use_id),
            comparison?.not_in_transcript.map((call) => call.tool_use_id)
          ],
          [["toolu_unknown"], [first]]
        )
        assert.notInclude(JSON.stringify(comparison), "hello")
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
