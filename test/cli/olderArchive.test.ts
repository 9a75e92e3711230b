import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { runCommand } from "../support/cli.ts"
import { newUser, type TestUser } from "../support/recording.ts"

/** What the older recorder wrote into every payload, seen or not. */
const unseen = { prompt: null, tool_name: null, tool_input: null, tool_response: null, turn_id: null, extra: {} }

const happened: ReadonlyArray<readonly [kind: string, name: string, payload: object, more?: object]> = [
  ["session_start", "SessionStart", { extra: { source: "startup" } }],
  ["user_prompt", "UserPromptSubmit", { prompt: "Which store keeps the index?" }],
  ["tool_call", "PreToolUse", { tool_name: "Bash", tool_input: { command: "make test" } }],
  ["tool_result", "PostToolUse", { tool_name: "Bash", tool_input: { command: "make test" }, tool_response: "ok" }],
  [
    "turn_usage",
    "TurnUsage",
    { source: "claude-transcript", usage: { input_tokens: 10, output_tokens: 20, total_tokens: null } }
  ],
  ["assistant_message", "Stop", { extra: { last_assistant_message: "IndexStore keeps it." } }],
  ["session_end", "SessionEnd", { extra: { reason: "exit" } }]
]

/** Writes an archive as the older recorder did: raw id, seconds, no chain, no checksums, a lock without an owner. */
const olderArchive = (user: TestUser, id: string, events = happened) => {
  const directory = path.join(user.project, ".lint-ai", "claude-sessions", id)
  fs.mkdirSync(directory, { recursive: true })
  const lines = events.map(([kind, name, payload, more], at) =>
    JSON.stringify({
      schema_version: 1,
      sequence: at + 1,
      event_id: `${id}:${name}:${at + 1}`,
      timestamp: `unix:${1786190400 + at}`,
      kind,
      provider: "claude",
      session_id: id,
      payload: { hook_event_name: name, ...unseen, ...payload },
      redactions: [],
      ...more
    })
  )
  fs.writeFileSync(path.join(directory, "events.jsonl"), lines.map((line) => `${line}\n`).join(""))
  const manifest = {
    schema_version: 1,
    session_id: id,
    provider: "claude",
    project_root: user.project,
    started_at: "unix:1786190400",
    ended_at: "unix:1786190406",
    status: "completed",
    recording_mode: "capture-only",
    event_count: events.length,
    redaction_policy: "default-v1",
    last_event: "SessionEnd",
    last_event_at: "unix:1786190406"
  }
  fs.writeFileSync(path.join(directory, "manifest.json"), JSON.stringify(manifest, undefined, 2))
  fs.writeFileSync(path.join(directory, ".lock"), "")
  return directory
}

const files = (directory: string) =>
  ["events.jsonl", "manifest.json"].map((name) => fs.readFileSync(path.join(directory, name), "utf8"))

describe("an archive of an older recorder", () => {
  it.live("is read by every command, under both of its names", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const before = files(olderArchive(user, "abc123"))
      const out = (name: string) => path.join(user.directory, name)
      for (const args of [
        ["sessions", "inspect", "abc123"],
        ["sessions", "verify", "abc123"],
        ["sessions", "search", "IndexStore"],
        ["sessions", "view", "abc123", "--no-open", "--out", out("page.html")],
        ...["jsonl", "markdown", "html", "atif", "otlp"].map((format) => [
          ...["sessions", "export", "abc123", "--format", format, "--out", out(format)]
        ]),
        ["memory", "promote", "abc123", "--preview"],
        ["compare", "abc123"],
        ["replay", "abc123", "--dry-run"],
        ["watch", "--once", "--follow", "abc123"]
      ]) {
        const run = yield* runCommand(user, args)
        assert.isUndefined(run.failure, `${args.join(" ")}: ${run.err}`)
      }
      assert.deepStrictEqual(files(path.join(user.project, ".lint-ai", "claude-sessions", "abc123")), before)
      const inspected = JSON.parse((yield* runCommand(user, ["sessions", "inspect", "abc123", "--json"])).out)
      assert.deepInclude(inspected, { damaged_count: 0, event_count: happened.length, turn_count: 1 })
    }).pipe(Effect.scoped)
  )

  it.live("is the source of a scenario, which names it with or without the agent", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      olderArchive(user, "abc123")
      const file = path.join(user.directory, "scenario.json")
      yield* runCommand(user, ["scenario", "from-session", "abc123", "--out", file])
      const made = JSON.parse(fs.readFileSync(file, "utf8"))
      for (const session_id of ["abc123", "claude:abc123"]) {
        const { events_sha256: _, ...source } = made.source_session
        fs.writeFileSync(file, JSON.stringify({ ...made, source_session: { ...source, session_id } }))
        const run = yield* runCommand(user, ["scenario", "run", file])
        assert.isUndefined(run.failure, `${session_id}: ${run.err}`)
        assert.include(run.out, "recorded abc123: pass")
      }
    }).pipe(Effect.scoped)
  )

  it.live("is imported from its export", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      olderArchive(user, "abc123")
      const file = path.join(user.directory, "session.jsonl")
      yield* runCommand(user, ["sessions", "export", "abc123", "--out", file])
      const run = yield* runCommand(user, ["sessions", "import", file, "--json"])
      assert.isUndefined(run.failure, run.err)
      assert.deepInclude(JSON.parse(run.out), {
        session_id: "claude:imported-abc123",
        event_count: happened.length,
        source_chain: "unkeyed"
      })
      const text = yield* runCommand(user, ["sessions", "export", "claude:imported-abc123", "--format", "markdown"])
      for (const words of ["Which store keeps the index?", "make test", "IndexStore keeps it."]) {
        assert.include(text.out, words)
      }
    }).pipe(Effect.scoped)
  )

  it.live("whose prompts were redacted or dropped is not replayed as if they were the user's", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const prompt = (payload: object, more: object) => ["user_prompt", "UserPromptSubmit", payload, more] as const
      olderArchive(user, "redacted", [
        ...happened.slice(0, 1),
        prompt({ prompt: "[REDACTED]" }, { redactions: ["payload.prompt"] }),
        ...happened.slice(2)
      ])
      olderArchive(user, "dropped", [...happened.slice(0, 3), prompt({}, { truncated: true }), ...happened.slice(3)])
      for (const [id, problem] of [
        ["redacted", "redacted"],
        ["dropped", "cut"]
      ] as const) {
        const refused = yield* runCommand(user, ["replay", id, "--dry-run", "--json"])
        assert.strictEqual(refused.failure, "PromptsAltered", problem)
      }
      const told = yield* runCommand(user, ["replay", "dropped", "--dry-run", "--allow-redacted", "--json"])
      const { plan } = JSON.parse(told.out)
      assert.deepStrictEqual(
        plan.prompts.map(({ text }: { text: string }) => text),
        ["Which store keeps the index?"]
      )
      assert.include(plan.notes.join("\n"), "1 of 2 prompts")
    }).pipe(Effect.scoped)
  )
})
