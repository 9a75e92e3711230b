import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { archiveFiles, sessionDirectory, sessionsRoot } from "../../../src/archive/sessionDirectory.ts"
import { Toggles } from "../../../src/control/Toggles.ts"
import { antigravityAdapter } from "../../../src/providers/antigravity/adapter.ts"
import { Recorder } from "../../../src/recorder/Recorder.ts"
import { machineOf, manifestOf, newUser, strictEvents, type TestUser } from "../../support/recording.ts"
import { type Json, payload, readSample, transcript } from "./fixtures.ts"

/** A user whose hooks run in the folder of the user's hooks.json, which is none of the project's. */
const recordingUser = Effect.gen(function* () {
  const user = yield* newUser
  const elsewhere = path.join(user.home, ".gemini", "config")
  fs.mkdirSync(elsewhere, { recursive: true })
  const machine = machineOf(user, { host: { cwd: elsewhere, env: { ...user.env, CLAUDE_PROJECT_DIR: undefined } } })
  yield* Effect.flatMap(Toggles, (toggles) =>
    toggles.change(user.project, "antigravity", (before) => ({ ...before, recording: true, mode: "capture-only" }))
  ).pipe(Effect.provide(machine))
  const transcriptPath = path.join(user.directory, "transcript_full.jsonl")
  const deliver = (name: string, fields: Json = {}) =>
    Effect.flatMap(Recorder, (recorder) => {
      const delivery = readSample(name, { workspacePaths: [user.project], transcriptPath, ...fields }, 100)
      return recorder.record(antigravityAdapter, delivery, 1000)
    }).pipe(Effect.provide(machine))
  return { user, transcriptPath, deliver }
})

const filesOf = (user: TestUser) =>
  archiveFiles(
    path.join(
      sessionsRoot(user.project, "antigravity"),
      sessionDirectory(`antigravity:${String(payload("Stop-1").conversationId)}`)
    )
  )

const wholeTurn: ReadonlyArray<readonly [string, Json?]> = [
  ["SessionStart-1"],
  ["PreInvocation-1"],
  ["PostToolUse-1"],
  ["PostToolUse-2"],
  // Without a workspace: the session keeps the project that it began in.
  ["PreInvocation-2", { workspacePaths: [] }],
  ["Stop-1"]
]

const expected = [
  "session_start",
  "user_prompt",
  "provider_event",
  "tool_call",
  "tool_result",
  "provider_event",
  "assistant_message",
  "turn_usage"
]

describe("a session of Antigravity CLI, from the samples", () => {
  it.effect("is recorded in the project of its first event, each event once", () =>
    Effect.gen(function* () {
      const { user, transcriptPath, deliver } = yield* recordingUser
      // The rows of the samples are of another day than this test.
      fs.writeFileSync(transcriptPath, transcript("transcript_full").replaceAll("2026-10-01", "2999-10-01"))
      for (const [name, fields] of wholeTurn) yield* deliver(name, fields)
      const files = filesOf(user)
      assert.deepStrictEqual(
        strictEvents(files.events).map((event) => event.kind),
        expected
      )
      const { usage, status, capabilities, project_root } = manifestOf(files.manifest)
      assert.deepStrictEqual(usage, {
        "antigravity-transcript": { input_tokens: 900, cache_read_input_tokens: 300, output_tokens: 47 }
      })
      assert.deepStrictEqual([status, project_root], ["active", user.project])
      assert.strictEqual(capabilities?.session_end, "absent")

      for (const [name, fields] of wholeTurn) yield* deliver(name, fields)
      assert.strictEqual(strictEvents(files.events).length, expected.length)
    }).pipe(Effect.scoped)
  )

  it.effect("tells what the hooks tell when there is no transcript", () =>
    Effect.gen(function* () {
      const { user, deliver } = yield* recordingUser
      for (const [name, fields] of wholeTurn) yield* deliver(name, fields)
      assert.deepStrictEqual(
        strictEvents(filesOf(user).events).map((event) => event.kind),
        expected.filter((kind) => kind !== "user_prompt" && kind !== "turn_usage")
      )
    }).pipe(Effect.scoped)
  )

  it.effect("tells the calls once, whether their hooks ran or not", () =>
    Effect.gen(function* () {
      const { user, transcriptPath, deliver } = yield* recordingUser
      fs.writeFileSync(transcriptPath, transcript("transcript_full").replaceAll("2026-10-01", "2999-10-01"))
      for (const [name, fields] of wholeTurn) if (!name.startsWith("PostToolUse")) yield* deliver(name, fields)
      assert.sameMembers(
        strictEvents(filesOf(user).events).map((event) => event.kind),
        expected
      )
    }).pipe(Effect.scoped)
  )
})
