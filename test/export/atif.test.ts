import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { atif } from "../../src/export/atif.ts"
import { machineOf, newUser, strictEvents } from "../support/recording.ts"
import { problemsOf, type Trajectory } from "./atifRules.ts"
import { everySession } from "./everySession.ts"
import { exampleSession, golden } from "./example.ts"
import { exported, record } from "./sessions.ts"

const trajectoriesOf = (trajectory: Trajectory): ReadonlyArray<Trajectory> => [
  trajectory,
  ...(trajectory.subagent_trajectories ?? [])
]

describe("the example session as an ATIF trajectory", () => {
  it.effect("is the one that was checked by hand", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const text = yield* Effect.flatMap(exampleSession(user), (directory) => exported(directory, atif)).pipe(
        Effect.provide(machineOf(user))
      )
      const trajectory = JSON.parse(text)
      assert.deepStrictEqual(problemsOf(trajectory), [])
      assert.deepStrictEqual(trajectory, golden("example.atif.json", trajectory))
    })
  )
})

describe("a session as an ATIF trajectory", () => {
  for (const [name, provider, payloads] of everySession) {
    it.live(`is valid and holds every prompt, answer, call and result: ${name}`, () =>
      Effect.gen(function* () {
        const user = yield* newUser
        yield* Effect.gen(function* () {
          for (const directory of yield* record(user, provider, payloads)) {
            const trajectory: Trajectory = JSON.parse(yield* exported(directory, atif))
            assert.deepStrictEqual(problemsOf(trajectory), [])
            const all = trajectoriesOf(trajectory)
            const steps = all.flatMap((one) => one.steps)
            const events = strictEvents(path.join(directory, "events.jsonl"))
            const count = (kind: string) => events.filter((event) => event.kind === kind).length
            const calls = steps.flatMap((step) => step.tool_calls ?? []).map((call) => call.tool_call_id)
            const called = events.flatMap((event) =>
              event.kind === "tool_call" || event.kind === "tool_error"
                ? [event.provider_ids?.tool_use_id ?? event.event_id]
                : []
            )
            assert.deepStrictEqual(new Set(calls), new Set(called))
            const results = steps.flatMap((step) => step.observation?.results ?? [])
            assert.strictEqual(results.length, count("tool_result") + count("tool_error"))
            const prompts = events.flatMap((event) => (event.kind === "user_prompt" ? [event.payload.text] : []))
            for (const prompt of prompts)
              assert.isTrue(steps.some((step) => step.source !== "agent" && step.message === prompt))
            for (const event of events) {
              if (event.kind !== "assistant_message" || event.payload.text === "") continue
              assert.isTrue(steps.some((step) => step.source === "agent" && step.message.includes(event.payload.text)))
            }
          }
        }).pipe(Effect.provide(machineOf(user)))
      })
    )
  }
})

/** A trajectory that a test spoils: any field of any step. */
interface Copy {
  readonly steps: ReadonlyArray<Record<string, unknown>>
  readonly final_metrics: Record<string, unknown>
}
const stepOf = (copy: Copy, at: number): Record<string, unknown> => copy.steps[at] ?? {}
const callOf = (copy: Copy) => (stepOf(copy, 1).tool_calls as Array<Record<string, unknown>>)[0] ?? {}
const resultOf = (copy: Copy) =>
  (stepOf(copy, 1).observation as { readonly results: Array<Record<string, unknown>> }).results[0] ?? {}

describe("the rules of ATIF", () => {
  const base = {
    schema_version: "ATIF-v1.7",
    session_id: "s",
    trajectory_id: "s",
    agent: { name: "a", version: "1" },
    steps: [
      { step_id: 1, source: "user", message: "hello" },
      {
        step_id: 2,
        source: "agent",
        message: "",
        tool_calls: [{ tool_call_id: "c", function_name: "f", arguments: {} }],
        observation: { results: [{ source_call_id: "c", content: "x" }] },
        metrics: { prompt_tokens: 3, completion_tokens: 1 },
        llm_call_count: 1
      }
    ],
    final_metrics: { total_prompt_tokens: 3, total_completion_tokens: 1, total_steps: 2 }
  }
  const broken: ReadonlyArray<readonly [string, (copy: Copy) => void]> = [
    ["a gap in the step ids", (copy) => Object.assign(stepOf(copy, 1), { step_id: 3 })],
    ["a model on a user step", (copy) => Object.assign(stepOf(copy, 0), { model_name: "m" })],
    ["arguments that are a list", (copy) => Object.assign(callOf(copy), { arguments: [] })],
    ["a result of a call of another step", (copy) => Object.assign(resultOf(copy), { source_call_id: "d" })],
    ["metrics without a call", (copy) => Object.assign(stepOf(copy, 1), { llm_call_count: 0 })],
    ["a total that is no sum", (copy) => Object.assign(copy.final_metrics, { total_prompt_tokens: 4 })],
    ["a field that nobody knows", (copy) => Object.assign(stepOf(copy, 1), { cost: 1 })],
    ["a source that nobody knows", (copy) => Object.assign(stepOf(copy, 0), { source: "tool" })],
    [
      "a reference to no trajectory",
      (copy) => Object.assign(resultOf(copy), { subagent_trajectory_ref: [{ trajectory_id: "x" }] })
    ]
  ]
  it("hold for a sound trajectory", () => assert.deepStrictEqual(problemsOf(base), []))
  for (const [what, change] of broken) {
    it(`refuse ${what}`, () => {
      const copy = structuredClone(base)
      change(copy as unknown as Copy)
      assert.isNotEmpty(problemsOf(copy))
    })
  }
})
