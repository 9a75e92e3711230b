import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Experiment } from "../../src/domain/experiment.ts"
import { resolveArms } from "../../src/experiment/arms.ts"
import { armOf } from "./scores.ts"

const experiment = (more: Partial<Experiment> = {}): Experiment => ({
  schema_version: 1,
  id: "ports",
  arms: [
    { preset: "native", provider: "claude" },
    { preset: "lint-ai", provider: "claude" }
  ],
  variable: ["lint_ai", "native_memory"],
  scenarios: ["a.json"],
  repetitions: 5,
  memory: { from: "empty" },
  ...more
})

const arms = (more?: Partial<Experiment>) => resolveArms(experiment(more), "experiment.json")
const refusal = (more: Partial<Experiment>) => Effect.map(Effect.flip(arms(more)), (error) => error)

describe("the arms of an experiment", () => {
  it.effect("are filled in from their presets: A native memory, B lint-ai without it, C both", () =>
    Effect.gen(function* () {
      const presets = ["native", "lint-ai", "both"] as const
      const [first, ...others] = presets.map((preset) => ({ preset, provider: "codex" as const }))
      if (first === undefined) return
      const { all, baseline } = yield* arms({ arms: [first, ...others] })
      assert.deepStrictEqual(
        all.map(({ lint_ai, name, native_memory }) => [name, lint_ai, native_memory]),
        [
          ["native", false, true],
          ["lint-ai", true, false],
          ["both", true, true]
        ]
      )
      assert.strictEqual(baseline.name, "native")
      for (const arm of all) {
        assert.deepInclude(arm, { profile: "hooks-common", memory: { from: "empty" }, instruction_files: true })
      }
    })
  )

  it.effect("stop the run when they differ in anything that is not declared, with all of it", () =>
    Effect.gen(function* () {
      const error = yield* refusal({
        arms: [
          { preset: "native", provider: "claude", model: "sonnet", args: ["--allow", "Bash"] },
          { preset: "lint-ai", provider: "claude" }
        ]
      })
      assert.strictEqual(error._tag, "ArmsDiffer")
      assert.include(error.message, "model is sonnet in native and not set in lint-ai")
      assert.include(error.message, "args is --allow Bash in native and none in lint-ai")
      assert.include(error.message, '"variable": ["lint_ai", "native_memory", "model", "args"]')
      // What the message says to write is what makes it run.
      const declared = yield* arms({
        arms: [
          { preset: "native", provider: "claude", model: "sonnet", args: ["--allow", "Bash"] },
          { preset: "lint-ai", provider: "claude" }
        ],
        variable: ["lint_ai", "native_memory", "model", "args"]
      })
      assert.strictEqual(declared.all.length, 2)
    })
  )

  it.effect("stop the run when one begins with another memory or profile", () =>
    Effect.gen(function* () {
      const other = { from: "named", directory: "/memory" } as const
      const error = yield* refusal({ arms: [armOf("a"), armOf("b", { memory: other, profile: "production" })] })
      assert.deepInclude(error, { _tag: "ArmsDiffer" })
      assert.include(error.message, "memory is")
      assert.include(error.message, "profile is hooks-common in a and production in b")
    })
  )

  it.effect("have a lane that is the baseline under another name", () =>
    Effect.gen(function* () {
      const { all, lane } = yield* arms({ aa_lane: true, baseline: "lint-ai" })
      assert.deepStrictEqual(
        all.map(({ name }) => name),
        ["native", "lint-ai", "lint-ai-again"]
      )
      assert.deepStrictEqual({ ...lane, name: "lint-ai" }, all[1])
      const long = "a".repeat(40)
      const taken = yield* arms({
        arms: [armOf(long), armOf(`${"a".repeat(34)}-again`)],
        aa_lane: true,
        variable: ["lint_ai"]
      })
      assert.strictEqual(new Set(taken.all.map(({ name }) => name)).size, 3)
      for (const { name } of taken.all) assert.match(name, /^[a-z0-9][a-z0-9-]{0,39}$/)
    })
  )

  it.effect(
    "are refused by name: two of one name, a baseline that is none, one alone, and none that says its memory",
    () =>
      Effect.gen(function* () {
        const native = { preset: "native", provider: "claude" } as const
        const said = (more: Partial<Experiment>) => Effect.map(refusal(more), ({ message }) => message)
        assert.include(yield* said({ arms: [native, native] }), 'two are named "native"')
        assert.include(yield* said({ baseline: "nativ" }), 'no arm is named "nativ"; there are native, lint-ai')
        assert.include(yield* said({ arms: [native] }), "one alone compares with nothing")
        const { memory: _, ...without } = experiment()
        const error = yield* Effect.flip(resolveArms(without, "experiment.json"))
        assert.include(error.message, "which memory it begins with")
      })
  )
})
