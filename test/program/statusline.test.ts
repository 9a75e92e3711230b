import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, inject, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { compiledHook, nodeHook, recordingUser, runHook, type TestUser } from "../support/recording.ts"

const programs = [
  ["the compiled program", compiledHook],
  ["the Node bundle of the hook", nodeHook]
] as const

const statusline = (program: ReadonlyArray<string>, user: TestUser, args: ReadonlyArray<string>, input: string) => {
  const [command = "", ...first] = program
  return spawnSync(command, [...first, ...args], { cwd: user.project, env: user.env, encoding: "utf8", input })
}

describe.each(programs)("%s", (_, programIn) => {
  const program = () => programIn(inject("builtProgram"))

  it.live("prints one line about the session that is recorded", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      runHook(program(), user, {
        session_id: "s",
        hook_event_name: "UserPromptSubmit",
        prompt: "hello",
        cwd: user.project
      })
      const input = JSON.stringify({ session_id: "s", workspace: { project_dir: user.project } })
      const { status, stdout, stderr } = statusline(program(), user, ["statusline", "claude"], input)
      assert.deepStrictEqual([status, stdout, stderr], [0, "Lint-AI:OFF | Record:ON | 1 event, 0 redacted\n", ""])
    })
  )

  it.live.each(["", "garbage", "\u0000", "[".repeat(100_000)])("prints a line whatever is on stdin", (input) =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const { status, stdout, stderr } = statusline(program(), user, ["statusline"], input)
      assert.deepStrictEqual([status, stdout, stderr], [0, "Lint-AI:OFF | Record:ON\n", ""])
    })
  )

  it.live("prints nothing for an agent that it does not know", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const { status, stdout } = statusline(program(), user, ["statusline", "somebody"], "")
      assert.deepStrictEqual([status, stdout], [0, ""])
    })
  )
})

describe("the flat flags", () => {
  it.live.each([
    ["--claude-code-statusline", "Lint-AI:OFF | Record:ON\n"],
    ["--codex-statusline", "Lint-AI:OFF | Record:OFF\n"]
  ])("%s is the status line", ([flag, expected]) =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      for (const program of [compiledHook(inject("builtProgram")), nodeMain()]) {
        assert.strictEqual(statusline(program, user, [flag ?? ""], "").stdout, expected)
      }
    })
  )
})

const nodeMain = () => [process.execPath, path.join(inject("builtProgram"), "main.mjs")]

describe("what the status line loads", () => {
  it("is one bundle of its own, and nothing of the CLI", () => {
    const built = inject("builtProgram")
    const read = (name: string) => fs.readFileSync(path.join(built, name), "utf8")
    const [, chunk = ""] = /import\(["'`]\.\/(statusline-[\w-]+\.mjs)["'`]\)/.exec(read("program.mjs")) ?? []
    const imported = [...read(chunk).matchAll(/(?:from|import)\s*["'`]([^"'`]+)["'`]/g)].map(([, name = ""]) => name)
    assert.isNotEmpty(imported)
    assert.deepStrictEqual(
      imported.filter((name) => !name.startsWith("node:")),
      []
    )
  })
})
