import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { agentTrace, editsOf } from "../../src/export/agentTrace.ts"
import { machineOf, newUser } from "../support/recording.ts"
import { exampleSession } from "./example.ts"
import { claudeSequence, exported, record } from "./sessions.ts"

const edit = (tool_name: string, input: unknown, response: unknown, more: object = {}) =>
  editsOf({
    kind: "tool_result",
    payload: { tool_name, input, response },
    redactions: [],
    ...more
  } as unknown as Parameters<typeof editsOf>[0])

describe("the lines that an agent wrote", () => {
  it("are the added ones of each hunk, by their numbers in the new file", () => {
    const lines = [" same", "-old", "+new", "+newer", " same", "+last"]
    const hunk = { oldStart: 3, newStart: 4, lines }
    assert.deepStrictEqual(edit("Edit", {}, { filePath: "/p/a", structuredPatch: [hunk] }), [
      {
        file: "/p/a",
        ranges: [
          { start_line: 5, end_line: 6 },
          { start_line: 8, end_line: 8 }
        ]
      }
    ])
  })

  it("are all of a new file", () => {
    const created = { type: "create", filePath: "/p/a", content: "a\nb\n", structuredPatch: [] }
    assert.deepStrictEqual(edit("Write", {}, created), [{ file: "/p/a", ranges: [{ start_line: 1, end_line: 2 }] }])
    const command =
      "*** Begin Patch\n*** Add File: a.txt\n+one\n+two\n*** Update File: b.txt\n@@\n-x\n+y\n*** End Patch\n"
    assert.deepStrictEqual(edit("apply_patch", { command }, "Success."), [
      { file: "a.txt", ranges: [{ start_line: 1, end_line: 2 }] }
    ])
  })

  it("are those of a unified diff", () => {
    const fileDiff = "--- a\n+++ a\n@@ -1,2 +1,3 @@\n alpha\n-beta\n+gamma\n+delta\n@@ -9 +10 @@\n-x\n+y\n"
    assert.deepStrictEqual(edit("replace", {}, { returnDisplay: { fileDiff, filePath: "/p/a" } }), [
      {
        file: "/p/a",
        ranges: [
          { start_line: 2, end_line: 3 },
          { start_line: 10, end_line: 10 }
        ]
      }
    ])
  })

  it("are not told of an edit that was cut when it was recorded, nor of a command", () => {
    const created = { type: "create", filePath: "/p/a", content: "a\n", structuredPatch: [] }
    const truncated = [{ path: "payload.response.content", bytes: 9 }]
    assert.deepStrictEqual(
      edit("Write", {}, created, { truncated }).flatMap(({ ranges }) => ranges),
      []
    )
    assert.deepStrictEqual(edit("Bash", { command: "echo x > a" }, { stdout: "" }), [])
  })
})

describe("a session as Agent Trace records", () => {
  it.effect("names file, lines, model and revision of each edit", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const text = yield* Effect.flatMap(exampleSession(user), (directory) => exported(directory, agentTrace)).pipe(
        Effect.provide(machineOf(user))
      )
      const { id, metadata, ...record } = JSON.parse(text)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.deepInclude(metadata["lint-ai"], { session_id: "claude:s", sequence: 15 })
      assert.deepStrictEqual(record, {
        version: "0.1.0",
        timestamp: "2026-08-16T12:00:17.000Z",
        vcs: { type: "git", revision: "0123456789abcdef0123456789abcdef01234567" },
        tool: { name: "claude-code", version: "2.1.332" },
        files: [
          {
            path: "Makefile",
            conversations: [
              {
                contributor: { type: "ai", model_id: "anthropic/model-a" },
                ranges: [{ start_line: 2, end_line: 3 }]
              }
            ]
          }
        ]
      })
    })
  )

  it.live("leaves out what lies outside of the project", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        for (const directory of yield* record(user, "claude", claudeSequence("interactive-long"))) {
          assert.strictEqual(yield* exported(directory, agentTrace), "")
        }
      }).pipe(Effect.provide(machineOf(user)))
    })
  )
})
