import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { sessionsRoot } from "../../src/archive/sessionDirectory.ts"
import type { ArchivedEvent } from "../../src/domain/event.ts"
import {
  compiledHook,
  diagnosticsOf,
  manifestOf,
  nodeHook,
  recordingUser,
  runHook,
  strictEvents,
  type TestUser
} from "../support/recording.ts"

const directory = path.join(import.meta.dirname, "../fixtures/claude/sequences")

/** Every hook payload that Claude Code sent in one captured session, in order; those of events that install never registers too. */
const payloadsOf = (name: string): ReadonlyArray<unknown> =>
  fs
    .readFileSync(path.join(directory, `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).payload)

/** An archive in one line: how it ended, then how often each kind came, in the order of their first; tool errors by their outcome. */
const summary = (archive: string): string => {
  const events = strictEvents(path.join(archive, "events.jsonl"))
  const manifest = manifestOf(path.join(archive, "manifest.json"))
  assert.strictEqual(manifest.event_count, events.length)
  assert.deepStrictEqual(
    events.map((event) => event.sequence),
    events.map((_, index) => index + 1)
  )
  assert.strictEqual(new Set(events.map((event) => event.event_id)).size, events.length)
  const counts = new Map<string, number>()
  for (const event of events) counts.set(kindOf(event), (counts.get(kindOf(event)) ?? 0) + 1)
  const counted = [...counts].map(([kind, count]) => (count === 1 ? kind : `${kind} ${count}`))
  return [`${manifest.status}:`, ...counted].join(" ")
}

const kindOf = (event: ArchivedEvent): string => (event.kind === "tool_error" ? event.payload.outcome : event.kind)

/** What a session becomes; ` | ` between the archives of more than one. */
const expected: Readonly<Record<string, string>> = {
  "agent-background":
    "completed: session_start provider_event user_prompt 2 tool_call 2 subagent_start tool_result 2 assistant_message 2 subagent_stop session_end",
  "agent-default-background":
    "completed: provider_event session_start user_prompt 2 tool_call 2 subagent_start tool_result 2 assistant_message 2 subagent_stop session_end",
  "api-error-400": "completed: session_start provider_event 2 user_prompt assistant_message session_end",
  "api-error-401": "completed: session_start provider_event 2 user_prompt assistant_message session_end",
  "api-retry-529": "completed: session_start provider_event 2 user_prompt assistant_message session_end",
  cd: "completed: session_start provider_event 2 user_prompt tool_call 2 tool_result 2 assistant_message session_end",
  elicitation:
    "completed: session_start provider_event 4 user_prompt tool_call tool_result assistant_message session_end",
  "init-only": "completed: provider_event 2 session_start session_end",
  "interactive-auto-mode-reject":
    "completed: session_start provider_event 6 user_prompt tool_call 3 tool_result 2 session_end",
  "interactive-long":
    "completed: session_start user_prompt 9 provider_event 15 assistant_message 4 tool_call 2 session_end | completed: session_start 2 provider_event 10 user_prompt 2 tool_call 5 tool_result 4 failed subagent_start assistant_message 2 subagent_stop 3 compaction 2 session_end",
  "interactive-long-197":
    "completed: session_start 2 provider_event 2 user_prompt 5 tool_call 4 subagent_start tool_result 2 subagent_stop 2 assistant_message 2 compaction 2 session_end | completed: session_start session_end",
  "interactive-mcp-then-hangup":
    "completed: session_start user_prompt tool_call 2 provider_event 2 tool_result assistant_message session_end",
  "interactive-watch-adddir-bgagent":
    "completed: session_start provider_event 4 user_prompt 2 tool_call 2 tool_result 2 subagent_start assistant_message 2 subagent_stop session_end",
  "max-budget": "completed: provider_event session_start user_prompt tool_call 2 tool_result session_end",
  "max-turns": "completed: session_start provider_event user_prompt tool_call 2 tool_result 2 session_end",
  mcp: "active: session_start tool_call 2 tool_result failed",
  "nested-memory":
    "completed: provider_event 2 session_start user_prompt tool_call tool_result assistant_message session_end",
  "permission-allow-by-hook":
    "completed: session_start provider_event 3 user_prompt tool_call 2 tool_result 2 assistant_message session_end",
  "permission-deny-by-hook":
    "completed: session_start provider_event 2 user_prompt tool_call denied invalid assistant_message session_end",
  "permission-dontask":
    "completed: session_start provider_event user_prompt tool_call denied invalid assistant_message session_end",
  "print-basic-bypass":
    "completed: session_start provider_event 6 user_prompt tool_call 5 tool_result 4 failed subagent_start subagent_stop assistant_message session_end",
  "print-basic-bypass-197":
    "completed: session_start provider_event 6 user_prompt tool_call 5 tool_result 4 failed subagent_start subagent_stop assistant_message session_end",
  "print-basic-denied":
    "completed: session_start provider_event 7 user_prompt tool_call 5 tool_result 4 denied subagent_start subagent_stop assistant_message session_end",
  "print-continue": "completed: session_start user_prompt provider_event 2 assistant_message session_end",
  "print-hello": "completed: session_start provider_event 2 user_prompt assistant_message session_end",
  "print-resume": "completed: session_start provider_event 2 user_prompt assistant_message session_end",
  "print-resume-unknown": "nothing",
  "prompt-blocked": "completed: session_start provider_event user_prompt session_end",
  "session-title": "completed: session_start provider_event user_prompt assistant_message session_end",
  "signal-kill": "active: session_start provider_event 2 user_prompt tool_call",
  "signal-term": "completed: session_start provider_event 2 user_prompt tool_call session_end",
  skill: "completed: session_start provider_event 2 user_prompt tool_call tool_result assistant_message session_end",
  "slash-command": "completed: session_start provider_event 2 user_prompt 2 assistant_message session_end",
  "stream-two-turns": "completed: session_start provider_event 3 user_prompt 2 assistant_message 2 session_end",
  tasks:
    "completed: session_start provider_event 3 user_prompt tool_call 3 tool_result 3 assistant_message session_end",
  worktree: "active: provider_event"
}

const pipe = (program: ReadonlyArray<string>, user: TestUser, name: string) => {
  for (const payload of payloadsOf(name)) {
    const end = runHook(program, user, payload)
    assert.deepStrictEqual(
      { status: end.status, stdout: end.stdout, stderr: end.stderr },
      { status: 0, stdout: "", stderr: "" }
    )
  }
  assert.deepStrictEqual(diagnosticsOf(user), [])
  const root = sessionsRoot(user.project, "claude")
  return fs.existsSync(root)
    ? fs
        .readdirSync(root)
        .map((archive) => path.join(root, archive))
        .filter((archive) => fs.statSync(archive).isDirectory())
        .map(summary)
        .join(" | ")
    : "nothing"
}

describe("a captured session, piped process by process through the compiled hook", () => {
  it("is listed here", () => {
    const names = fs.readdirSync(directory).map((name) => path.basename(name, ".jsonl"))
    assert.deepStrictEqual(Object.keys(expected).sort(), names.sort())
  })

  for (const name of Object.keys(expected)) {
    it.effect(`${name} becomes its archive`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        assert.strictEqual(pipe(compiledHook(inject("builtProgram")), user, name), expected[name])
      })
    )
  }
})

describe("a captured session, piped process by process through the hook's Node bundle", () => {
  for (const name of ["print-basic-denied", "print-resume-unknown", "interactive-long-197"]) {
    it.effect(`${name} becomes its archive`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        assert.strictEqual(pipe(nodeHook(inject("builtProgram")), user, name), expected[name])
      })
    )
  }
})
