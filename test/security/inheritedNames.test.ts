import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { SessionOutline } from "../../src/viewer/document.ts"
import { sessionDocument } from "../../src/viewer/sessionDocument.ts"
import { runCommand } from "../support/cli.ts"
import { append, ended, eventOf, filesOf, started } from "../support/events.ts"
import { machineOf, newUser } from "../support/recording.ts"

/** What every object has without anybody having put it there: a table that is an object seems to hold these. */
const names = ["constructor", "toString", "valueOf", "isPrototypeOf", "__proto__"]

const recorded = Effect.gen(function* () {
  const user = yield* newUser
  const events = names.flatMap((name) => [
    eventOf(
      "tool_call",
      `${name} call`,
      { tool_name: name, input: { [name]: name } },
      { provider_ids: { tool_use_id: name } }
    ),
    eventOf(
      "tool_result",
      `${name} result`,
      { tool_name: name, response: `[REDACTED:${name.toLowerCase()}] [REDACTED:constructor]` },
      { provider_ids: { tool_use_id: name }, redactions: ["payload.response"] }
    ),
    eventOf("assistant_message", `${name} answer`, { text: name, final: true, stop_reason: name }),
    eventOf("turn_usage", `${name} usage`, {
      source: "claude-transcript",
      messages: [{ message_id: name, model: name, input_tokens: 1, output_tokens: 1, stop_reason: name }]
    }),
    eventOf("provider_event", `${name} event`, { name, fields: { [name]: name } })
  ])
  yield* append(user, [started(), ...events, ended("end", "constructor")]).pipe(Effect.provide(machineOf(user)))
  fs.writeFileSync(
    path.join(user.project, ".lint-ai/diagnostics.jsonl"),
    `${JSON.stringify({ time: "2026-01-01T00:00:00.000Z", provider: "claude", event: "Stop", tag: "constructor" })}\n`
  )
  return user
})

const commands: ReadonlyArray<ReadonlyArray<string>> = [
  ["sessions", "inspect", "claude:s", "--json"],
  ["sessions", "inspect", "claude:s"],
  ...["jsonl", "markdown", "html", "atif", "agent-trace"].map((format) => [
    "sessions",
    "export",
    "claude:s",
    "--format",
    format
  ]),
  ["sessions", "export", "claude:s", "--format", "otlp", "--with-content"],
  ["compare", "claude:s", "--json"],
  ["compare", "claude:s", "--all"],
  ["doctor"]
]

describe("names that every object has", () => {
  it.live("are tools, models, rules and reasons like any other in what is made of a session", () =>
    Effect.gen(function* () {
      const user = yield* recorded
      const { outline } = yield* sessionDocument(filesOf(user).directory).pipe(Effect.provide(machineOf(user)))
      const read = Schema.decodeUnknownSync(SessionOutline)(JSON.parse(JSON.stringify(outline)))
      const tools = read.entries.filter(({ kind }) => kind === "tool")
      assert.deepStrictEqual(
        tools.map(({ name }) => name),
        names
      )
      assert.deepStrictEqual(Object.entries(tools[0]?.rules ?? {}), [["constructor", 2]])
      for (const command of commands) {
        const run = yield* runCommand(user, command)
        // doctor fails where something is amiss, which is no fault of it.
        if (command[0] !== "doctor") assert.strictEqual(run.failure, undefined, command.join(" "))
        assert.notInclude(run.out, "[native code]", command.join(" "))
        assert.notInclude(run.out, "[object Object]", command.join(" "))
      }
    }).pipe(Effect.scoped)
  )
})
