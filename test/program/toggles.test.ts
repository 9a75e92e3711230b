import { spawn, spawnSync } from "node:child_process"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Toggles } from "../../src/control/Toggles.ts"
import { providers } from "../../src/domain/provider.ts"
import { compiledHook, machineOf, newUser, type TestUser } from "../support/recording.ts"

const lintAi = (user: TestUser, args: ReadonlyArray<string>) => {
  const [command = ""] = compiledHook(inject("builtProgram"))
  return spawnSync(command, args, { cwd: user.project, env: user.env, encoding: "utf8" })
}

/** Runs a command beside others; gives its exit code, and what it complained of. */
const together = (user: TestUser, args: ReadonlyArray<string>, input = "") =>
  Effect.callback<string>((resume) => {
    const [command = ""] = compiledHook(inject("builtProgram"))
    const child = spawn(command, args, { cwd: user.project, env: user.env, stdio: ["pipe", "ignore", "pipe"] })
    let complaint = ""
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      complaint += text
    })
    child.stdin.end(input)
    child.on("close", (code, signal) => resume(Effect.succeed(`${code ?? signal} ${complaint}`)))
  })

/** What an agent says to the MCP server to have one tool called. */
const toolCall = (name: string, args: object): string =>
  [
    {
      id: 1,
      method: "initialize",
      params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } }
    },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/call", params: { name, arguments: args } }
  ]
    .map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
    .join("")

const consentOf = (user: TestUser) =>
  Effect.flatMap(Toggles, (toggles) => toggles.read(user.project)).pipe(Effect.provide(machineOf(user)))

describe("turning things on and off", () => {
  it.live("loses none of fifty changes that different programs make at once", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      // Each agent is turned on by a dozen processes, from the terminal, by flat flags and from inside (MCP). A lost change would leave one off, a torn
      // one would leave the state unsigned.
      const commands = Array.from({ length: 50 }, (_, index): readonly [ReadonlyArray<string>, string?] => {
        const agent = providers[index % providers.length] ?? "claude"
        const server = ["mcp", "serve", agent, user.project]
        const ways = [
          [["enable", agent]],
          [server, toolCall("record_session", { action: "start" })],
          [["--record-session", user.project, "--session-provider", agent]],
          [server, toolCall("enable_lint_ai", {})],
          [["record", "start", agent]]
        ] as const
        return ways[Math.floor(index / providers.length) % ways.length] ?? [["enable", agent]]
      })
      const codes = yield* Effect.all(
        commands.map(([args, input]) => together(user, args, input)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(new Set(codes), new Set(["0 "]))
      const consent = yield* consentOf(user)
      assert.strictEqual(consent._tag, "adopted")
      const states = consent._tag === "adopted" ? consent.providers : {}
      assert.deepStrictEqual(
        providers.map((provider) => [states[provider]?.memory, states[provider]?.recording]),
        providers.map(() => [true, true])
      )
    })
  )

  it.live("changes the same thing from the subcommands and the flat flags", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const modeOf = (...args: ReadonlyArray<string>): string => {
        const { stdout, stderr } = lintAi(user, [...args, "--json"])
        assert.strictEqual(stderr, "")
        return JSON.parse(stdout).mode
      }
      assert.strictEqual(modeOf("--record-session", "--session-provider", "agy"), "capture-only")
      assert.strictEqual(modeOf("record", "status", "antigravity"), "capture-only")
      assert.strictEqual(modeOf("record", "status", "claude"), "off")
      assert.strictEqual(modeOf("--record-session", "--session-recording", "assist"), "assist")
      assert.strictEqual(modeOf("disable", "claude"), "capture-only")
      assert.strictEqual(modeOf("enable", "claude"), "assist")
      assert.strictEqual(modeOf("record", "stop", "claude"), "off")
      assert.strictEqual(modeOf("record", "start", "claude"), "assist")
    })
  )

  it.live("says what enabling and disabling mean", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const enabled = lintAi(user, ["enable", "codex"])
      assert.include(enabled.stdout, "Lint-AI:ON | Record:ON")
      assert.include(enabled.stdout, "Retrieval")
      const disabled = lintAi(user, ["disable", "codex"])
      assert.include(disabled.stdout, "Memory is off for Codex")
      assert.include(disabled.stdout, "lint-ai record stop codex")
    })
  )
})
