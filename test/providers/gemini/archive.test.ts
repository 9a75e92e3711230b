import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { archiveFiles, sessionDirectory, sessionsRoot } from "../../../src/archive/sessionDirectory.ts"
import { Toggles } from "../../../src/control/Toggles.ts"
import type { ArchivedEvent } from "../../../src/domain/event.ts"
import { geminiAdapter } from "../../../src/providers/gemini/adapter.ts"
import { Recorder } from "../../../src/recorder/Recorder.ts"
import { machineOf, manifestOf, newUser, strictEvents, type TestUser } from "../../support/recording.ts"
import { fixtures, type Json, payload, read } from "./fixtures.ts"

const session_id = "6ada47d5-7726-4ea8-98b3-96984c696051"

const recordingUser = Effect.gen(function* () {
  const user = yield* newUser
  const machine = machineOf(user)
  yield* Effect.flatMap(Toggles, (toggles) =>
    toggles.change(user.project, "gemini", (before) => ({ ...before, recording: true, mode: "capture-only" }))
  ).pipe(Effect.provide(machine))
  const transcript_path = path.join(user.directory, "session-2026-11-30T03-36-6ada47d5.jsonl")
  const deliver = (name: string, fields: Json = {}) =>
    Effect.flatMap(Recorder, (recorder) => {
      const given = payload(name, { session_id, transcript_path, ...fields })
      return recorder.record(geminiAdapter, read(given, { GEMINI_PROJECT_DIR: user.project }), 1000)
    }).pipe(Effect.provide(machine))
  return { user, transcript_path, deliver }
})

const filesOf = (user: TestUser) =>
  archiveFiles(path.join(sessionsRoot(user.project, "gemini"), sessionDirectory(`gemini:${session_id}`)))
const kindsOf = (user: TestUser) => strictEvents(filesOf(user).events).map((event) => event.kind)

const turn = [
  "BeforeAgent-1",
  "BeforeTool-1",
  "AfterTool-1",
  "BeforeTool-2",
  "AfterTool-2",
  "AfterTool-3",
  "AfterAgent-1"
]
const start = { timestamp: "2026-11-30T03:36:02.000Z" }
const end = (second: number) => ({ timestamp: `2026-11-30T03:36:0${second}.000Z` })

describe("a session of Gemini CLI, from captured payloads", () => {
  it.effect(
    "has one id for the beginning and the end of a call, from which nobody else can guess what the call held",
    () =>
      Effect.gen(function* () {
        const idsOf = Effect.gen(function* () {
          const { user, deliver } = yield* recordingUser
          yield* deliver("SessionStart-1", start)
          const tool = { tool_name: "run_shell_command", tool_input: { command: "unlock --password Kestrel!4711" } }
          yield* deliver("BeforeTool-1", tool)
          yield* deliver("AfterTool-1", tool)
          return strictEvents(filesOf(user).events).flatMap(({ provider_ids }) => provider_ids?.tool_use_id ?? [])
        })
        const [begin, end, ...more] = yield* idsOf
        assert.match(begin ?? "", /^call:[0-9a-f]{16}$/)
        assert.strictEqual(end, begin)
        assert.deepStrictEqual(more, [])
        // Keyed with the user's own secret.
        assert.notInclude(yield* idsOf, begin)
      })
  )

  it.effect("is recorded with the clean answer; its three ends are one", () =>
    Effect.gen(function* () {
      const { user, transcript_path, deliver } = yield* recordingUser
      yield* deliver("SessionStart-1", start)
      for (const name of turn) {
        yield* deliver(name)
        // The agent writes it while the turn runs.
        fs.copyFileSync(path.join(fixtures, "session-tools.jsonl"), transcript_path)
      }
      for (const second of [6, 7, 8]) yield* deliver("SessionEnd-3", end(second))
      assert.deepStrictEqual(kindsOf(user), [
        "session_start",
        "user_prompt",
        "tool_call",
        "tool_result",
        "tool_call",
        "tool_result",
        "tool_error",
        "assistant_message",
        "turn_usage",
        "session_end"
      ])
      const answer = strictEvents(filesOf(user).events).find(
        (event): event is Extract<ArchivedEvent, { kind: "assistant_message" }> => event.kind === "assistant_message"
      )
      assert.strictEqual(answer?.payload.text, "All done: hello was said, the file was read and one command failed.")
      const { status, usage, end_reason } = manifestOf(filesOf(user).manifest)
      assert.deepStrictEqual([status, end_reason], ["completed", "exit"])
      assert.strictEqual(usage?.["gemini-transcript"]?.total_tokens, 4691)
    }).pipe(Effect.scoped)
  )

  it.effect("is new when it is resumed, and each delivery of it counts once", () =>
    Effect.gen(function* () {
      const { user, transcript_path, deliver } = yield* recordingUser
      fs.copyFileSync(path.join(fixtures, "session-tools.jsonl"), transcript_path)
      yield* deliver("SessionStart-1", start)
      for (const name of [...turn, ...turn]) yield* deliver(name)
      yield* deliver("SessionEnd-1", end(6))
      // The stub that a resume names.
      yield* deliver("SessionStart-2", { ...end(7), transcript_path: path.join(user.directory, "stub.jsonl") })
      yield* deliver("BeforeAgent-1", end(8))
      yield* deliver("SessionEnd-1", end(9))
      const kinds = kindsOf(user)
      assert.strictEqual(kinds.length, 13)
      assert.deepStrictEqual(kinds.slice(-4), ["session_end", "session_start", "user_prompt", "session_end"])
      assert.strictEqual(manifestOf(filesOf(user).manifest).usage?.["gemini-transcript"]?.total_tokens, 4691)
    }).pipe(Effect.scoped)
  )
})
