import * as fs from "node:fs"
import * as path from "node:path"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Scenario, startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { run } from "../support/program.ts"
import { filesUnder, outline, readArchive, sessionsDirectory } from "./archive.ts"
import { claudeVersions, converse, installClaude, makeSandbox, runClaude, type Sandbox } from "./claude.ts"
import { lintAi, lintAiJson, placeLintAi } from "./lintAi.ts"
import { bash, scenarios } from "./scenarios.ts"

/** The model calls one tool of lint-ai, and says so. */
const calls = (tool: string, input: Record<string, unknown> = {}): Scenario => [
  { text: "I call it.", tools: [{ name: `mcp__lint-ai__${tool}`, input }] },
  { text: "Called." }
]
const control = {
  ...scenarios,
  start: calls("record_session", { action: "start" }),
  stop: calls("record_session", { action: "stop" }),
  enable: calls("enable_lint_ai"),
  disable: calls("disable_lint_ai"),
  status: calls("lint_ai_status"),
  wrong: calls("record_session", { action: "explode" }),
  startAndWork: [
    { text: "I start.", tools: [{ name: "mcp__lint-ai__record_session", input: { action: "start" } }] },
    { text: "I work.", tools: [bash("echo after")] },
    { text: "Done." }
  ]
} as const satisfies Record<string, Scenario>

const allow = ["Bash", "mcp__lint-ai"]

/** lint-ai installed with its server, with everything off. */
const installed = (sandbox: Sandbox, claude: string) =>
  Effect.gen(function* () {
    fs.symlinkSync(claude, path.join(sandbox.bin, "claude"))
    const binary = placeLintAi(sandbox)
    const end = yield* lintAi(sandbox, binary, "--claude-code-install", sandbox.project, "--yes")
    assert.strictEqual(end.exitCode, 0, end.stderr)
    return binary
  })

const answers = (project: string, tool: string) =>
  readArchive(project).events.filter((event) => event.kind === "tool_result" && event.payload.tool_name.endsWith(tool))

describe.each(claudeVersions)("Claude Code %s", (version) => {
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  it.live("finds the server where install puts it, and not after uninstall", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(control)
      const sandbox = yield* makeSandbox(api)
      const binary = yield* installed(sandbox, claude)
      const list = () => run({ command: claude, args: ["mcp", "list"], cwd: sandbox.project, env: sandbox.env })
      assert.match((yield* list()).stdout, /^lint-ai: .*Connected/m)
      // Written by Claude Code in between, so that only what is ours may go.
      const end = yield* lintAi(sandbox, binary, "uninstall", "claude")
      assert.strictEqual(end.exitCode, 0, end.stderr)
      assert.notInclude((yield* list()).stdout, "lint-ai:")
      assert.isFalse(fs.existsSync(path.join(sandbox.project, ".claude", "skills", "lint-ai-memory")))
    })
  )

  it.live("turns recording on from inside a session, and its later hooks are recorded", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(control)
      const sandbox = yield* makeSandbox(api)
      const binary = yield* installed(sandbox, claude)
      const end = yield* runClaude(claude, sandbox, { prompt: "scenario:startAndWork", allow })
      assert.deepStrictEqual([end.exitCode, end.result.result, end.stderr], [0, "Done.", ""])

      const { manifest, events } = readArchive(sandbox.project)
      const { session_id, joined, recording_mode, status } = manifest
      assert.deepStrictEqual(
        [session_id, joined, recording_mode, status],
        [`claude:${end.result.session_id}`, "mid-session", "capture-only", "completed"]
      )
      const told = outline(events)
      assert.include(told, "tool_call Bash")
      assert.include(told, "tool_result Bash")
      assert.include(told, "session_end other")
      assert.notInclude(told, "session_start startup")
      const report = yield* lintAiJson(sandbox, binary, "status")
      assert.deepStrictEqual(report.diagnostics, [])
    })
  )

  it.live("turns everything on and off in one session, which follows at its next step", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(control)
      const sandbox = yield* makeSandbox(api)
      const binary = yield* installed(sandbox, claude)
      const stateOf = Effect.map(lintAiJson(sandbox, binary, "record", "status"), ({ memory, recording }) => [
        memory,
        recording
      ])
      const conversation = yield* converse(claude, sandbox, allow)
      yield* conversation.turn("scenario:commands")
      yield* conversation.turn("scenario:status")
      assert.isFalse(fs.existsSync(path.join(sandbox.project, ".lint-ai")))

      yield* conversation.turn("scenario:enable")
      assert.deepStrictEqual(yield* stateOf, [true, true])
      const { session_id } = yield* conversation.turn("scenario:status")
      yield* conversation.turn("scenario:disable")
      assert.deepStrictEqual(yield* stateOf, [false, true])
      yield* conversation.turn("scenario:wrong")
      yield* conversation.turn("scenario:stop")
      assert.deepStrictEqual(yield* stateOf, [false, false])
      const stopped = readArchive(sandbox.project)
      assert.deepStrictEqual([stopped.manifest.status, stopped.manifest.end_reason], ["completed", "recording-stopped"])
      yield* conversation.turn("scenario:commands")
      assert.strictEqual(readArchive(sandbox.project).events.length, stopped.events.length)

      yield* conversation.turn("scenario:start")
      yield* conversation.turn("scenario:commands")
      const end = yield* conversation.end
      assert.strictEqual(end.exitCode, 0, end.stderr)

      const { manifest, events } = readArchive(sandbox.project)
      assert.deepStrictEqual([manifest.session_id, manifest.status], [`claude:${session_id}`, "completed"])
      const [status] = answers(sandbox.project, "lint_ai_status")
      assert.include(JSON.stringify(status), `claude:${session_id}`)
      assert.include(JSON.stringify(status), "Lint-AI:ON | Record:ON")
      // The refused call is an error to the agent, and the server lives on.
      assert.include(outline(events), "tool_error mcp__lint-ai__record_session failed")
      assert.strictEqual(outline(events).filter((one) => one === "tool_result Bash").length, 1)
    })
  )

  it.live("works as before when the server is gone, broken or silent", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(control)
      const sandbox = yield* makeSandbox(api)
      const binary = yield* installed(sandbox, claude)
      const broken = ["exit 3", "echo garbage; echo more garbage >&2", "cat > /dev/null"]
      for (const script of [undefined, ...broken]) {
        fs.rmSync(binary)
        if (script !== undefined)
          fs.writeFileSync(binary, `#!/bin/sh\n[ "$1" = mcp ] || exit 0\n${script}\n`, { mode: 0o755 })
        const end = yield* runClaude(claude, sandbox, { prompt: "scenario:commands", allow })
        assert.deepStrictEqual([end.exitCode, end.result.result], [0, "Ran both."], script)
        if (script === undefined) fs.writeFileSync(binary, "")
      }
      assert.isFalse(fs.existsSync(sessionsDirectory(sandbox.project)))
      assert.deepStrictEqual(filesUnder(path.join(sandbox.project, ".lint-ai")), [])
    })
  )
})
