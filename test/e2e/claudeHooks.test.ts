import * as fs from "node:fs"
import * as path from "node:path"
import { fileURLToPath } from "node:url"
import { assert, beforeAll, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { eventsFor } from "../../src/providers/claude/install.ts"
import { startFakeMessagesApi } from "../support/fakeMessagesApi.ts"
import { fileHolds } from "../support/fileEvents.ts"
import { claudeVersions, converse, installClaude, makeSandbox } from "./claude.ts"
import { scenarios } from "./scenarios.ts"

/** A project whose hooks do no more than write down what they are given, one line per delivery. */
const watchedProject = (project: string, events: ReadonlyArray<string>): string => {
  const deliveries = path.join(path.dirname(project), "deliveries.jsonl")
  fs.mkdirSync(path.join(project, ".claude", "commands"), { recursive: true })
  fs.writeFileSync(path.join(project, ".claude", "commands", "greet.md"), "scenario:hello Greet $ARGUMENTS.\n")
  const hooks = Object.fromEntries(
    events.map((event) => [event, [{ hooks: [{ type: "command", command: `cat >> '${deliveries}'` }] }]])
  )
  fs.writeFileSync(path.join(project, ".claude", "settings.local.json"), JSON.stringify({ hooks }))
  const asker = { command: process.execPath, args: [fileURLToPath(new URL("askingServer.mjs", import.meta.url))] }
  fs.writeFileSync(path.join(project, ".mcp.json"), JSON.stringify({ mcpServers: { asker } }))
  return deliveries
}

const namesIn = (text: string): ReadonlyArray<string> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).hook_event_name)

describe.each(claudeVersions)("Claude Code %s", (version) => {
  const registered = eventsFor(version)
  let claude = ""
  beforeAll(async () => {
    claude = await Effect.runPromise(installClaude(version))
  })

  it.live("delivers every hook that lint-ai registers", () =>
    Effect.gen(function* () {
      const api = yield* startFakeMessagesApi(scenarios)
      const sandbox = yield* makeSandbox(api)
      const deliveries = watchedProject(sandbox.project, registered)
      const told = (event: string) => fileHolds(deliveries, (text) => namesIn(text).includes(event))

      const env = { ...sandbox.env, CLAUDE_CODE_ENABLE_TODO_TOOLS: "1" }
      const allow = ["Bash", "Agent", "TaskCreate", "TaskUpdate", "mcp__asker"]
      const conversation = yield* converse(claude, { ...sandbox, env }, allow)
      yield* conversation.turn("scenario:refused")
      yield* told("StopFailure") // Claude Code does not wait for this hook
      yield* conversation.turn("scenario:hello")
      yield* conversation.turn("/greet everybody")
      yield* conversation.turn("scenario:commands")
      yield* conversation.turn("scenario:denied")
      yield* conversation.turn("scenario:agent")
      yield* conversation.turn("scenario:tasks")
      yield* conversation.turn("scenario:question")
      if (version !== "2.1.197") yield* conversation.turn("/model opus") // 2.1.197 has it in the terminal only
      yield* conversation.turn("/compact")
      const end = yield* conversation.end

      assert.strictEqual(end.exitCode, 0, end.stderr)
      const delivered = new Set(namesIn(fs.readFileSync(deliveries, "utf8")))
      assert.deepStrictEqual(
        registered.filter((event) => !delivered.has(event)),
        []
      )
      assert.deepStrictEqual(api.strays, [])
    })
  )
})
