import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { inject } from "vitest"
import { Toggles } from "../../src/control/Toggles.ts"
import { togglesOf } from "../../src/domain/mode.ts"
import { compiledHook, machineOf, newUser, runHook, type TestUser } from "../support/recording.ts"

/** Sets the title, clears the screen, hides what follows, links elsewhere, moves back, turns the direction of writing. */
const evil = "\u001b]0;owned\u0007\u001b[2J\u001b[8m\u009b31m\u001b]8;;http://evil.example\u0007\r\b\u007f\u202e\u2066x"
/** What may not reach a terminal: control characters but the newline, and those that turn the direction of writing. */
const unprintable = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/

/** A user who works in a project whose every name and text was chosen by somebody else. */
const hostile = Effect.gen(function* () {
  const plain = yield* newUser
  const project = path.join(plain.directory, `pro${evil.replaceAll("/", "")}ject`)
  fs.mkdirSync(path.join(project, ".git"), { recursive: true })
  fs.writeFileSync(path.join(project, ".git/HEAD"), `ref: refs/heads/${evil}\n`)
  const user: TestUser = { ...plain, project, env: { ...plain.env, CLAUDE_PROJECT_DIR: project } }
  yield* Effect.flatMap(Toggles, (toggles) =>
    Effect.forEach(["claude", "codex"] as const, (provider) =>
      toggles.change(project, provider, () => togglesOf("assist"))
    )
  ).pipe(Effect.provide(machineOf(user)))
  const hook = compiledHook(inject("builtProgram"))
  const common = { session_id: `s${evil}`, cwd: project, prompt_id: `p${evil}`, permission_mode: evil, model: evil }
  const steps: ReadonlyArray<Record<string, unknown>> = [
    { hook_event_name: "SessionStart", source: evil },
    { hook_event_name: "UserPromptSubmit", prompt: `ledger ${evil}` },
    { hook_event_name: "PreToolUse", tool_name: evil, tool_input: { [evil]: evil }, tool_use_id: evil },
    {
      hook_event_name: "PostToolUse",
      tool_name: evil,
      tool_input: {},
      tool_response: { [evil]: evil },
      tool_use_id: evil
    },
    { hook_event_name: "PreToolUse", tool_name: `open${evil}`, tool_input: {}, tool_use_id: `open${evil}` },
    { hook_event_name: evil, [evil]: evil },
    { hook_event_name: "SubagentStop", agent_type: evil, last_assistant_message: evil },
    { hook_event_name: "Stop", last_assistant_message: `The ledger ${evil} was rebuilt from the invoices of March.` },
    { hook_event_name: "SessionEnd", reason: evil }
  ]
  for (const step of steps) assert.strictEqual(runHook(hook, user, { ...common, ...step }).status, 0)
  const sessions = path.join(project, ".lint-ai/claude-sessions")
  const [name = ""] = fs.readdirSync(sessions).filter((one) => one.startsWith("claude-"))
  const files = (file: string) => path.join(sessions, name, file)
  const manifest = JSON.parse(fs.readFileSync(files("manifest.json"), "utf8"))
  fs.writeFileSync(
    files("manifest.json"),
    JSON.stringify({
      ...manifest,
      provider_version: evil,
      repository_branch: evil,
      repository_revision: evil,
      end_reason: evil,
      redaction_policy: evil,
      recorder_version: evil,
      capabilities: { [evil]: "hook" }
    })
  )
  fs.writeFileSync(
    files("recovery.json"),
    JSON.stringify({ schema_version: 1, findings: [{ found_at: evil, problem: evil, detail: evil }] })
  )
  fs.mkdirSync(path.join(sessions, `claude-${evil.replaceAll("/", "")}`))
  fs.writeFileSync(
    path.join(project, ".lint-ai/diagnostics.jsonl"),
    `${JSON.stringify({ time: evil, provider: evil, event: evil, tag: evil, detail: evil })}\n`
  )
  fs.writeFileSync(path.join(project, ".lint-ai/config.json"), JSON.stringify({ schema_version: 1, [evil]: evil }))
  fs.writeFileSync(path.join(project, "AGENTS.md"), evil)
  fs.mkdirSync(path.join(project, ".claude"))
  fs.writeFileSync(path.join(project, ".claude/settings.json"), JSON.stringify({ [evil]: evil, hooks: { [evil]: [] } }))
  fs.writeFileSync(path.join(project, "scenario.yaml"), evil)
  return { user, session: name }
})

/** Every command that prints, with arguments that make it print what was chosen by somebody else. */
const commands = (session: string): ReadonlyArray<ReadonlyArray<string>> => [
  ["status"],
  ["doctor"],
  ["sessions", "list"],
  ["sessions", "search", "ledger"],
  ["sessions", "inspect", session],
  ["sessions", "inspect", evil],
  ["sessions", "export", session, "--format", "markdown"],
  ["sessions", "export", session, "--format", "jsonl"],
  ["sessions", "export", session, "--format", "atif"],
  ["sessions", "export", session, "--format", "otlp", "--with-content"],
  ["sessions", "export", session, "--format", "agent-trace"],
  ["sessions", "export", session, "--out", `out${evil.replaceAll("/", "")}`],
  ["sessions", "view", session, "--out", `view${evil.replaceAll("/", "")}.html`],
  ["sessions", "import", evil],
  ["sessions", "verify", session],
  ["sessions", "verify", "--all"],
  ["sessions", "recover"],
  ["sessions", "delete", session],
  ["sessions", "prune", "--keep", "0"],
  ["memory", "list"],
  ["memory", "search", "ledger"],
  ["memory", "show", evil],
  ["memory", "stats"],
  ["memory", "rebuild"],
  ["memory", "promote", session],
  ["memory", "adopt"],
  ["record", "start", "claude"],
  ["record", "stop", "claude"],
  ["enable", "claude"],
  ["disable", "claude"],
  ["extract", session],
  ["extract", "review"],
  ["redact", "AGENTS.md"],
  ["redact", evil],
  ["redact", "check"],
  ["air", "export", session],
  ["air", "verify", evil],
  ["air", "load", evil],
  ["air", "config-hash", evil],
  ["evidence", "key", "show"],
  ["install", "claude", "--dry-run"],
  ["install", "codex", "--dry-run", "--session-root", evil],
  ["uninstall", "claude", "--yes"],
  ["adopt"],
  ["codex", "trust"],
  ["compare", session, session],
  ["replay", evil],
  ["scenario", "validate", "scenario.yaml"],
  ["scenario", "run", "scenario.yaml"],
  ["scenario", "from-session", session],
  ["experiment", "report", evil],
  ["experiment", "run", evil],
  ["mcp", "verify", evil],
  [evil],
  ["sessions", `--${evil}`]
]

describe("a project that was prepared by somebody else", () => {
  it.live("gets no character into a terminal that moves its cursor, changes its colours or its direction", () =>
    Effect.gen(function* () {
      const { user, session } = yield* hostile
      const [program = ""] = compiledHook(inject("builtProgram"))
      const wrong: Array<string> = []
      for (const args of commands(session)) {
        for (const form of [args, [...args, "--json"]]) {
          // An export into a pipe is the bytes as they were recorded. On a terminal, which `script` makes, it is for reading.
          const onTerminal = args[1] === "export"
          const quoted = [program, ...form].map((one) => `'${one}'`).join(" ")
          const [command, given] = onTerminal ? ["script", ["-qec", quoted, "/dev/null"]] : [program, form]
          const { stdout, stderr, signal } = spawnSync(command, given, {
            cwd: user.project,
            env: { ...user.env, PATH: "/usr/bin:/bin", LANG: "C.UTF-8" },
            encoding: "utf8",
            input: "",
            timeout: 60_000
          })
          const shown = JSON.stringify(form)
          if (signal !== null) wrong.push(`${shown}: ${signal}`)
          for (const [where, text] of Object.entries({ stdout, stderr })) {
            // The terminal's own line ends.
            const found = unprintable.exec(onTerminal ? text.replaceAll("\r\n", "\n") : text)
            if (found === null) continue
            const around = JSON.stringify(text.slice(Math.max(0, found.index - 60), found.index + 20))
            wrong.push(`${shown} ${where} U+${found[0].charCodeAt(0).toString(16)}: ${around}`)
          }
        }
      }
      assert.deepStrictEqual(wrong, [])
    })
  )
})
