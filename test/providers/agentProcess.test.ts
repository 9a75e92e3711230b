import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { keptCharacters, runProcess } from "../../src/providers/agentProcess.ts"

const node = (script: string) =>
  runProcess({
    provider: "claude",
    program: process.execPath,
    args: ["-e", script],
    cwd: process.cwd(),
    env: {},
    timeout: "1 minute"
  }).pipe(Effect.provide(NodeServices.layer))

describe("the output of an agent", () => {
  it.live("is whole", () =>
    Effect.gen(function* () {
      const script = `process.stdout.write("a".repeat(1e6) + "ü€😀z"); process.stderr.write("e"); process.exitCode = 3`
      const { stdout, stderr, exitCode } = yield* node(script)
      assert.deepStrictEqual([stdout.length, stdout.slice(-5), stderr, exitCode], [1_000_005, "ü€😀z", "e", 3])
    })
  )

  it.live("keeps its beginning and its end when it is longer than any agent has to say", () =>
    Effect.gen(function* () {
      const { stdout } = yield* node(
        `console.log("the id"); for (let i = 0; i < 60; i++) console.log("x".repeat(1e6)); console.log("the answer")`
      )
      assert.isAtMost(stdout.length, 2 * keptCharacters + 1)
      const lines = stdout.split("\n")
      assert.deepStrictEqual([lines[0], lines.at(-2)], ["the id", "the answer"])
    })
  )
})
