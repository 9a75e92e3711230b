import * as fs from "node:fs"
import * as path from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { antigravityCli, toldBy } from "../../../src/providers/antigravity/cli.ts"
import { ProviderCli } from "../../../src/providers/ProviderCli.ts"
import { diskAndHost, temporaryDirectory } from "../../support/temporaryHost.ts"
import { fixtures } from "./fixtures.ts"

const stream = fs.readFileSync(path.join(fixtures, "stdout-stream-json.reconstructed.jsonl"), "utf8")

describe("the lines of stream-json", () => {
  it("tell the conversation and the answer", () => {
    assert.deepStrictEqual(toldBy(stream), {
      sessionId: "00000000-1111-4222-8333-444444444444",
      text: "All done.",
      errors: []
    })
  })

  it("tell what went wrong, and pass over what is no JSON", () => {
    const failed = `noise\n{"event":"result","result":{"conversation_id":"c","status":"ERROR","response":"","error":"no quota"}}`
    assert.deepStrictEqual(toldBy(failed), { sessionId: "c", text: undefined, errors: ["no quota"] })
  })
})

describe("Antigravity CLI", () => {
  it.live("gets the prompt and the conversation to go on with, and refuses to be told a model", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const script = '#!/bin/sh\nif [ "$1" = --version ]; then echo agy 1.5.14; else printf "[%s]" "$@"; fi\n'
      fs.writeFileSync(path.join(directory, "agy"), script, { mode: 0o755 })
      const env = { PATH: `${directory}:/usr/bin:/bin` }
      yield* Effect.gen(function* () {
        const cli = yield* ProviderCli
        assert.strictEqual(yield* cli.version, "1.5.14")
        const run = { prompt: "hello", cwd: directory, env, timeout: "20 seconds" } as const
        const answer = yield* cli.run({ ...run, resume: "c-1", args: ["--mode", "plan"] })
        assert.strictEqual(
          answer.stdout,
          "[--mode][plan][--conversation][c-1][--output-format][stream-json][-p][hello]"
        )
        const refused = yield* Effect.flip(cli.run({ ...run, model: "m" }))
        assert.include(refused.message, "choose its model")
      }).pipe(
        Effect.provide(antigravityCli.pipe(Layer.provide(Layer.merge(diskAndHost(directory, env), NodeServices.layer))))
      )
    }).pipe(Effect.scoped)
  )
})
