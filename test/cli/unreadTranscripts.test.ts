import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { TranscriptCursor } from "../../src/domain/event.ts"
import { runCommand } from "../support/cli.ts"
import { append, ended, eventOf, prompt, started } from "../support/events.ts"
import { machineOf, recordingUser, type TestUser } from "../support/recording.ts"

const usage = (name: string, cursors: ReadonlyArray<TranscriptCursor>, outputTokens = 7) =>
  eventOf("turn_usage", name, {
    source: "claude-transcript",
    messages: [{ message_id: name, output_tokens: outputTokens }],
    cursors
  })

const recorded = (user: TestUser, ...cursors: ReadonlyArray<ReadonlyArray<TranscriptCursor>>) =>
  append(user, [started(), prompt("p"), ...cursors.map((one, index) => usage(`m${index}`, one)), ended()]).pipe(
    Effect.provide(machineOf(user))
  )

const outputs = (user: TestUser) =>
  Effect.all({
    inspected: runCommand(user, ["sessions", "inspect"]),
    json: Effect.map(runCommand(user, ["sessions", "inspect", "--json"]), ({ out }) => JSON.parse(out)),
    markdown: Effect.map(runCommand(user, ["sessions", "export", "--format", "markdown"]), ({ out }) => out),
    page: Effect.map(runCommand(user, ["sessions", "export", "--format", "html"]), ({ out }) => out),
    compared: Effect.map(runCommand(user, ["compare", "claude:s", "--json"]), ({ out }) => JSON.parse(out))
  })

describe("a session whose transcripts were not read to their end", () => {
  it.live("says so wherever its tokens are shown", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* recorded(user, [
        { file: "main", offset: 5, more: true },
        { file: "agent-a.jsonl", offset: 0, more: true },
        { file: "agent-b.jsonl", offset: 9 }
      ])
      const { inspected, json, markdown, page, compared } = yield* outputs(user)
      assert.match(inspected.out, /2 transcripts of the agent were not read to\s+their end/)
      assert.deepStrictEqual(json.unread_transcripts, ["main", "agent-a.jsonl"])
      assert.include(markdown, "2 transcripts of the agent were not read to their end")
      assert.include(page, "2 transcripts of the agent were not read to their end")
      assert.include(JSON.stringify(compared), "2 transcripts were not read to the end")
    })
  )

  it.live("says it no more when a later reading came to the end", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      yield* recorded(user, [{ file: "main", offset: 5, more: true }], [{ file: "main", offset: 9 }])
      const { inspected, json, markdown, page, compared } = yield* outputs(user)
      assert.deepStrictEqual(json.unread_transcripts, [])
      for (const text of [inspected.out, markdown, page, JSON.stringify(compared)])
        assert.notInclude(text, "not read to")
    })
  )
})
