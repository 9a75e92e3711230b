import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ResponseScenario, startFakeResponsesApi } from "../support/fakeResponsesApi.ts"
import { outline, readArchives } from "./archive.ts"
import { installCodex, lintAiJson, makeCodexSandbox, runCodex, trustAll } from "./codex.ts"

const tool = (name: string, args: Record<string, unknown> = {}) => ({ name, namespace: "mcp__lint_ai", args })

const scenarios = {
  startAndWork: [
    { text: "I look.", calls: [tool("lint_ai_status")] },
    { text: "I start.", calls: [tool("record_session", { action: "start" })] },
    { text: "I work.", calls: [{ name: "exec_command", args: { cmd: "echo after" } }] },
    { text: "I look again.", calls: [tool("lint_ai_status")] },
    { text: "Done." }
  ]
} as const satisfies Readonly<Record<string, ResponseScenario>>

let codex = ""
beforeAll(async () => {
  codex = await Effect.runPromise(installCodex)
})

describe("Codex", () => {
  it.live("turns recording on from inside a session, and its later hooks are recorded", () =>
    Effect.gen(function* () {
      const api = yield* startFakeResponsesApi(scenarios)
      const sandbox = yield* makeCodexSandbox(api)
      yield* lintAiJson(sandbox, "install", "codex", sandbox.project, "--mcp", "--yes")
      assert.deepStrictEqual(yield* trustAll(codex, sandbox), [])
      const end = yield* runCodex(codex, sandbox, { prompt: "scenario:startAndWork" })
      assert.deepStrictEqual([end.exitCode, end.result.answer], [0, "Done."], end.stderr)

      const [archive] = readArchives(sandbox.project, "codex")
      const { manifest, events = [] } = archive ?? {}
      assert.deepStrictEqual(
        [manifest?.session_id, manifest?.joined, manifest?.recording_mode],
        [`codex:${end.result.sessionId}`, "mid-session", "capture-only"]
      )
      const told = outline(events)
      assert.include(told, "tool_result Bash")
      const status = events.find(
        (event) => event.kind === "tool_result" && event.payload.tool_name.endsWith("lint_ai_status")
      )
      assert.include(JSON.stringify(status), `codex:${end.result.sessionId}`)
      assert.include(JSON.stringify(status), "Record:ON")
    })
  )
})
