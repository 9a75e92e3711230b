import { spawnSync } from "node:child_process"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { rolldown } from "rolldown"
import { diagnosticsOf, recordingUser, type TestUser } from "../support/recording.ts"

const root = path.join(import.meta.dirname, "../..")

/** A hook of Gemini CLI, which wants an answer, whose adapter does something else than to read the payload, or something more. */
const hookThat = (directory: string, does: string) =>
  Effect.promise(async () => {
    const entry = "the-hook"
    const file = path.join(directory, "hook.mjs")
    const build = await rolldown({
      input: entry,
      platform: "node",
      plugins: [
        {
          name: "hook",
          resolveId: (name) => (name === entry ? path.join(root, "src", "hook", "made-up.ts") : undefined),
          load: (id) =>
            id.endsWith("made-up.ts")
              ? `import * as Effect from "effect/Effect"
                 import { geminiAdapter } from "../providers/gemini/adapter.ts"
                 import { runHook } from "./main.ts"
                 runHook({ ...geminiAdapter, read: (given) => ${does} })(["gemini", "AfterTool"])`
              : undefined
        }
      ]
    })
    await build.write({ file, format: "esm", codeSplitting: false })
    await build.close()
    return file
  })

const run = (user: TestUser, file: string) =>
  spawnSync(process.execPath, [file], {
    cwd: user.project,
    env: { ...user.env, LINT_AI_HOOK_TIMEOUT_MS: "100" },
    input: JSON.stringify({ session_id: "s", hook_event_name: "AfterTool" }),
    encoding: "utf8"
  })

describe("a hook that fails where nothing should", () => {
  for (const [sentence, does, tag, detail] of [
    ["never ends", "Effect.never", "DeadlineExceeded", "the time budget of 100 ms ended during the whole hook"],
    [
      "throws outside of everything",
      'Effect.andThen(Effect.sync(() => setTimeout(() => { throw new TypeError("a secret") })), Effect.never)',
      "Defect",
      "TypeError"
    ],
    [
      "forgets about a promise that is rejected",
      'Effect.andThen(Effect.sync(() => { Promise.reject(new RangeError("a secret")) }), Effect.never)',
      "Defect",
      "RangeError"
    ]
  ] as const) {
    it.live(`gives the safe answer and says so: it ${sentence}`, () =>
      Effect.gen(function* () {
        const user = yield* recordingUser
        const file = yield* hookThat(user.directory, does)
        const end = run(user, file)
        assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "{}", ""])
        assert.deepStrictEqual(
          diagnosticsOf(user).map((one) => [one.provider, one.event, one.tag, one.detail]),
          [["gemini", "AfterTool", tag, detail]]
        )
      })
    )
  }
})

describe("a hook that was not given the processor until its time was over", () => {
  it.live("goes on to its end: no timer comes between two of its steps", () =>
    Effect.gen(function* () {
      const user = yield* recordingUser
      const steps = "Effect.forEach(Array.from({ length: 10_000 }), () => Effect.void)"
      const timer = "Effect.sync(() => { setTimeout(() => process.exit(7)) })"
      const file = yield* hookThat(
        user.directory,
        `Effect.andThen(Effect.andThen(${timer}, ${steps}), geminiAdapter.read(given))`
      )
      const end = run(user, file)
      assert.deepStrictEqual([end.status, end.stdout, end.stderr], [0, "{}", ""])
    })
  )
})
