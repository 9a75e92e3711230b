import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Provider } from "../../src/domain/provider.ts"
import { payload as antigravityPayload } from "../providers/antigravity/fixtures.ts"
import { payload as claudePayload } from "../providers/claude/fixtures.ts"
import { payload as codexPayload } from "../providers/codex/fixtures.ts"
import { payload as geminiPayload } from "../providers/gemini/fixtures.ts"
import { compiledHook, manifestOf, newUser, type TestUser } from "../support/recording.ts"

const lintAi = (user: TestUser, args: ReadonlyArray<string>, input = "") => {
  const [command = ""] = compiledHook(inject("builtProgram"))
  return spawnSync(command, args, { cwd: user.project, env: user.env, encoding: "utf8", input })
}

/** Runs a command that must do its work, and gives its document. */
const json = (user: TestUser, ...args: ReadonlyArray<string>) => {
  const { status, stdout, stderr } = lintAi(user, [...args, "--json"])
  assert.strictEqual(status, 0, `${args.join(" ")}: ${stdout}${stderr}`)
  return JSON.parse(stdout)
}

/** What the flat flags call an agent, and a delivery in the middle of a session of it. */
const agents: ReadonlyArray<{
  readonly flat: string
  readonly named: string
  readonly provider: Provider
  readonly event?: string
  readonly payload: (user: TestUser) => object
}> = [
  {
    flat: "claude-code",
    named: "claude",
    provider: "claude",
    payload: (user) => ({ ...claudePayload("PreToolUse-1"), cwd: user.project })
  },
  {
    flat: "codex",
    named: "codex",
    provider: "codex",
    payload: (user) => ({ ...codexPayload("pre-tool-use-1"), cwd: user.project })
  },
  {
    flat: "gemini-cli",
    named: "gemini",
    provider: "gemini",
    payload: (user) => geminiPayload("BeforeTool-1", { cwd: user.project })
  },
  {
    flat: "agy",
    named: "agy",
    provider: "antigravity",
    event: "PostToolUse",
    payload: (user) => antigravityPayload("PostToolUse-1", { workspacePaths: [user.project] })
  }
]

describe("the flat flags of the source documents", () => {
  for (const { flat, named, provider, event, payload } of agents) {
    it.live(`install ${flat}, record a session that runs already, show it and take everything out again`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        const hook = () =>
          lintAi(user, [`--${flat}-hook`, ...(event === undefined ? [] : [event])], JSON.stringify(payload(user)))

        const installed = json(user, `--${flat}-install`, user.project, "--yes")
        assert.isNotEmpty(installed.files)
        assert.strictEqual(hook().status, 0)
        // Installing registers and leaves the project as it is.
        assert.deepStrictEqual(json(user, "--list-sessions", user.project).sessions, [])

        const root = path.join(user.directory, "recordings")
        const flags = ["--session-provider", named, "--session-root", root]
        const started = json(user, "--record-session", user.project, ...flags)
        assert.deepStrictEqual([started.provider, started.mode, started.session_root], [provider, "capture-only", root])
        assert.strictEqual(hook().status, 0)

        const [session] = json(user, "--list-sessions", user.project, "--session-provider", named).sessions
        assert.deepStrictEqual([session.provider, session.joined], [provider, "mid-session"])
        assert.strictEqual(manifestOf(path.join(session.path, "manifest.json")).joined, "mid-session")
        const inspected = json(user, "--inspect-session", session.session_id, "--session-root", root)
        assert.strictEqual(inspected.session_id, session.session_id)
        const out = path.join(user.directory, "session.jsonl")
        const exported = ["--export-session", session.session_id, "--format", "jsonl", "--out", out]
        assert.strictEqual(lintAi(user, exported).status, 0)
        assert.include(fs.readFileSync(out, "utf8"), session.session_id)

        const healthy = json(user, `--${flat}-verify-mcp`, user.project, "--mcp-timeout-ms", "20000")
        assert.deepStrictEqual([healthy.provider, healthy.status], [provider, "healthy"])

        assert.isNotEmpty(json(user, `--${flat}-uninstall`, user.project).files)
        assert.deepStrictEqual(fs.readdirSync(user.project), [".lint-ai"])
      }).pipe(Effect.scoped)
    )
  }

  it.live("print the status lines", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      json(user, "--record-session", user.project, "--session-provider", "codex", "--session-recording", "assist")
      assert.include(lintAi(user, ["--codex-statusline"]).stdout, "Lint-AI:ON | Record:ON")
      assert.include(lintAi(user, ["--claude-code-statusline"]).stdout, "Lint-AI:OFF | Record:OFF")
    }).pipe(Effect.scoped)
  )

  it.live("want a yes before they record in a place that stays", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      // Not beside this file: a clone may lie in a temporary directory.
      const stays = path.resolve("/recordings-that-are-never-made")
      const args = ["--record-session", user.project, "--session-root", stays]
      const refused = lintAi(user, args)
      assert.strictEqual(refused.status, 5)
      assert.include(refused.stderr, "--yes")
      assert.isFalse(fs.existsSync(path.join(user.project, ".lint-ai")))
      assert.strictEqual(lintAi(user, [...args, "--yes"]).status, 0)
      assert.isFalse(fs.existsSync(stays))
    }).pipe(Effect.scoped)
  )
})
