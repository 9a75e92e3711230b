import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { geminiCli, toldBy } from "../../../src/providers/gemini/cli.ts"
import { type AgentRun, ProviderCli } from "../../../src/providers/ProviderCli.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { fixtures } from "./fixtures.ts"

const stream = fs.readFileSync(path.join(fixtures, "stdout-stream-json.jsonl"), "utf8")

/** A program in the place of the agent: it answers with its arguments and its input, or does what `script` says. */
const withAgent = <A, E>(
  script: string | undefined,
  use: (
    run: (options?: Partial<AgentRun>) => ReturnType<ProviderCli["Service"]["run"]>
  ) => Effect.Effect<A, E, ProviderCli>
) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const bin = path.join(directory, "bin")
    fs.mkdirSync(bin)
    if (script !== undefined) fs.writeFileSync(path.join(bin, "gemini"), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:/usr/bin:/bin` }
    const layer = geminiCli.pipe(Layer.provide(Layer.merge(diskAndHost(directory, env), NodeServices.layer)))
    return yield* Effect.gen(function* () {
      const cli = yield* ProviderCli
      return yield* use((options = {}) =>
        cli.run({ prompt: "hello", cwd: directory, env, timeout: "20 seconds", ...options })
      )
    }).pipe(Effect.provide(layer))
  }).pipe(Effect.scoped)

describe("the lines of stream-json", () => {
  it("tell the session and the text after the last tool", () => {
    assert.deepStrictEqual(toldBy(stream), {
      sessionId: "8c405934-3ec9-4dad-bb55-025b36a37660",
      text: "All done: hello was said, the file was read and one command failed.",
      errors: []
    })
  })

  it("tell what went wrong, and pass over what is no JSON", () => {
    const failed = `noise\n{"type":"init","session_id":"s"}\n{"type":"error","severity":"warning","message":"slow"}\n{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error]"}}\n`
    assert.deepStrictEqual(toldBy(failed), { sessionId: "s", text: undefined, errors: ["slow", "[API Error]"] })
    assert.deepStrictEqual(toldBy(""), { sessionId: undefined, text: undefined, errors: [] })
  })
})

describe("Gemini CLI", () => {
  it.live("gets the prompt through stdin, and flags for session and model", () =>
    withAgent('printf "[%s]" "$@"; cat', (run) =>
      Effect.gen(function* () {
        const prompt = "--help\n".repeat(50_000)
        const answer = yield* run({ prompt, resume: "s-1", model: "m", args: ["--approval-mode", "yolo"] })
        assert.strictEqual(
          answer.stdout,
          `[--output-format][stream-json][--model][m][--resume][s-1][--approval-mode][yolo]${prompt}`
        )
        assert.strictEqual(answer.exitCode, 0)
      })
    )
  )

  it.live("tells its version, and that it is missing", () =>
    Effect.gen(function* () {
      const version = Effect.flatMap(ProviderCli, (cli) => cli.version)
      assert.strictEqual(yield* withAgent("echo 0.61.0", () => version), "0.61.0")
      const missing = yield* Effect.flip(withAgent(undefined, () => version))
      assert.include(missing.message, "Gemini CLI was not found")
    })
  )

  it.live("that fails gives its exit code and what it said", () =>
    withAgent('cat >/dev/null; echo "no such session" >&2; exit 42', (run) =>
      Effect.gen(function* () {
        const answer = yield* run()
        assert.deepStrictEqual([answer.exitCode, answer.sessionId, answer.stderr], [42, undefined, "no such session\n"])
      })
    )
  )

  it.live("that does not end is ended", () =>
    withAgent("exec sleep 600", (run) =>
      Effect.gen(function* () {
        const failure = yield* Effect.flip(run({ timeout: "200 millis" }))
        assert.strictEqual(failure._tag, "AgentTooSlow")
      })
    )
  )
})
