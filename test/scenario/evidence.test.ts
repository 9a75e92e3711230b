import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Evaluation } from "../../src/domain/scenario.ts"
import { filledIn } from "../../src/scenario/compareArchives.ts"
import { evaluate, together } from "../../src/scenario/evaluate.ts"
import { commonEvaluations, keepEvaluation, readEvaluations, resultsDirectory } from "../../src/scenario/evaluations.ts"
import { readAnswer } from "../../src/scenario/evidence.ts"
import { machineOf, newUser, snapshot } from "../support/recording.ts"
import { metricsOf } from "./metricsOf.ts"
import { recorded, script } from "./recorded.ts"

type Script = ReturnType<typeof script>

const answerOf = (written: Script, spoil?: (directory: string) => void) =>
  Effect.gen(function* () {
    const user = yield* newUser
    return yield* Effect.gen(function* () {
      const directory = yield* recorded(user, "s", written.events)
      spoil?.(directory)
      return yield* readAnswer(directory)
    }).pipe(Effect.provide(machineOf(user)))
  })

describe("the answer of a session", () => {
  const cases: ReadonlyArray<readonly [string, Script, string | undefined, string | undefined]> = [
    ["is the last one", script().start().prompt("A?").answer("a").prompt("B?").answer("b").end(), "b", undefined],
    [
      "is the final one",
      script().start().prompt("A?").add("assistant_message", { text: "wait", final: false }).answer("a"),
      "a",
      undefined
    ],
    [
      "is none before the last prompt",
      script().start().prompt("A?").answer("a").prompt("B?").end(),
      undefined,
      undefined
    ],
    [
      "is none of a subagent",
      script()
        .start()
        .prompt("A?")
        .answer("x", { provider_ids: { agent_id: "a1" } }),
      undefined,
      undefined
    ],
    [
      "lacks what was cut",
      script()
        .start()
        .prompt("A?")
        .answer("a", { truncated: [{ path: "payload.text", bytes: 9 }] }),
      "a",
      "the recorded answer is cut"
    ],
    [
      "lacks what was redacted",
      script()
        .start()
        .prompt("A?")
        .answer("a", { redactions: ["payload.text"] }),
      "a",
      "a part of the recorded answer is redacted"
    ],
    [
      "lacks what a marker stands for",
      script().start().prompt("A?").answer("the [REDACTED:token]"),
      "the [REDACTED:token]",
      "a part of the recorded answer is redacted"
    ],
    [
      "is unfinished without a final one",
      script().start().prompt("A?").add("assistant_message", { text: "so far", final: false }),
      "so far",
      "the answer was not finished"
    ],
    ["is none where the agent failed without a word", script().start().prompt("A?").answer(""), undefined, undefined]
  ]
  it.effect.each(cases)("%s", ([, written, text, lacks]) =>
    Effect.gen(function* () {
      const answer = yield* answerOf(written)
      assert.deepStrictEqual(answer, text === undefined ? undefined : { text, lacks })
    })
  )

  it.effect("may be gone with a damaged line after it", () =>
    Effect.gen(function* () {
      const answer = yield* answerOf(script().start().prompt("A?").answer("a").answer("b").end(), (directory) => {
        const file = path.join(directory, "events.jsonl")
        const lines = fs.readFileSync(file, "utf8").split("\n")
        fs.writeFileSync(file, [...lines.slice(0, 3), "{", ...lines.slice(4)].join("\n"))
      })
      assert.deepStrictEqual(answer, { text: "a", lacks: "lines of the recording are damaged" })
    })
  )
})

const scenario = {
  schema_version: 1,
  id: "s",
  category: "session-review",
  setup_messages: [],
  continuation_prompt: "Which?",
  expected_facts: [{ id: "store", match_any: ["IndexStore"] as const }],
  forbidden_facts: [{ id: "wrong", match_any: ["MemoryStore"] as const }],
  validators: [{ name: "tests", command: ["npm", "test"] as const }],
  limits: { max_tool_calls: 3 }
} as const
const occasion = { scenarioDigest: "d", evaluatedAt: "2026-08-16T12:00:00.000Z" }
const passed = { name: "tests", verdict: "pass", exit_code: 0, duration_ms: 5, output: "", why: "ok" } as const

describe("an evaluation", () => {
  const of = (answer: string, some: Partial<Parameters<typeof evaluate>[1]> = {}) =>
    evaluate(
      scenario,
      {
        role: "recorded",
        metrics: metricsOf({}),
        answer: { text: answer, lacks: undefined },
        validators: [passed],
        ...some
      },
      occasion
    )

  it("judges everything by itself and all of it together", () => {
    assert.strictEqual(of("the IndexStore").verdict, "pass")
    const failed = of("the MemoryStore", { metrics: metricsOf({ tool_calls: 4 }) })
    assert.strictEqual(failed.verdict, "fail")
    assert.deepStrictEqual(
      [...failed.facts, ...failed.validators, ...failed.limits].map(({ verdict }) => verdict),
      ["fail", "fail", "pass", "fail"]
    )
  })

  it("does not know of a validator that was not run, and says why", () => {
    const evaluation = of("the IndexStore", { validators: [], validatorsWhy: "nobody asked" })
    assert.deepInclude(evaluation.validators[0], { verdict: "unknown", why: "nobody asked", exit_code: null })
    assert.strictEqual(evaluation.verdict, "unknown")
  })

  it("takes no verdict of a validator that the scenario does not have", () => {
    const evaluation = of("the IndexStore", { validators: [{ ...passed, name: "other", verdict: "fail" }, passed] })
    assert.strictEqual(evaluation.verdict, "pass")
    assert.lengthOf(evaluation.validators, 1)
  })

  it("of nothing is unknown, and one that failed is failed whatever is unknown", () => {
    assert.strictEqual(together([]), "unknown")
    assert.strictEqual(together(["unknown", "fail", "pass"]), "fail")
    assert.strictEqual(together(["unknown", "pass"]), "unknown")
    assert.strictEqual(together(["pass", "pass"]), "pass")
  })

  it.effect("is kept as a file of its own, and read again", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      yield* Effect.gen(function* () {
        const directory = yield* resultsDirectory({ _tag: "Project", projectRoot: user.project })
        const files = yield* Effect.forEach([of("a"), of("b"), of("b")], (one) => keepEvaluation(directory, one))
        assert.strictEqual(new Set(files).size, 3)
        fs.writeFileSync(path.join(directory, "other.json"), "{")
        fs.writeFileSync(path.join(directory, "note.txt"), "x")
        fs.symlinkSync("/etc/passwd", path.join(directory, "link.json"))
        assert.lengthOf(yield* readEvaluations(user.project), 3)
        assert.strictEqual(fs.readFileSync(path.join(user.project, ".lint-ai/.gitignore"), "utf8"), "*\n")
        for (const file of files) assert.strictEqual(fs.statSync(file).mode & 0o777, 0o600)
      }).pipe(Effect.provide(machineOf(user)))
    })
  )

  it.effect("of a project without any changes nothing when they are asked for", () =>
    Effect.gen(function* () {
      const user = yield* newUser
      const before = snapshot(user.project)
      assert.deepStrictEqual(yield* readEvaluations(user.project).pipe(Effect.provide(machineOf(user))), [])
      assert.deepStrictEqual(snapshot(user.project), before)
    })
  )
})

describe("an evaluation that is filled in by an earlier one", () => {
  const judged = (verdict: Evaluation["verdict"], limit: Evaluation["verdict"]): Evaluation => ({
    ...evaluate(
      { ...scenario, validators: [], forbidden_facts: [] },
      { role: "replay", metrics: metricsOf({}), answer: undefined, validators: [] },
      occasion
    ),
    facts: [{ id: "store", kind: "expected", verdict, why: "" }],
    limits: [{ name: "max_turns", limit: 2, observed: 2, verdict: limit }]
  })

  it.each([
    ["unknown", "pass", "pass"],
    ["unknown", "fail", "fail"],
    ["unknown", "unknown", "unknown"],
    ["pass", "fail", "pass"],
    ["fail", "pass", "fail"]
  ] as const)("with a fact that is %s now and was %s is %s", (now, before, then) => {
    assert.strictEqual(filledIn(judged(now, "pass"), judged(before, "pass")).verdict, then)
  })

  it("knows of a limit at which the run was ended", () => {
    assert.strictEqual(filledIn(judged("pass", "pass"), judged("pass", "fail")).verdict, "fail")
  })
})

describe("the evaluations that sessions have in common", () => {
  const by = (scenario_digest: string, session_id: string, evaluated_at: string): Evaluation => ({
    ...evaluate(
      { ...scenario, validators: [] },
      { role: "recorded", metrics: metricsOf({ session_id }), answer: undefined, validators: [] },
      occasion
    ),
    scenario_digest,
    evaluated_at
  })

  it("are those of the scenario that judged most of them, each session by its own last one", () => {
    const common = commonEvaluations(
      [by("x", "a", "1"), by("x", "b", "2"), by("x", "a", "3"), by("y", "a", "4"), by("x", "elsewhere", "5")],
      ["a", "b", "c"]
    )
    assert.deepStrictEqual(
      [...common].map(([session, one]) => [session, one.session_id, one.scenario_digest, one.evaluated_at]).sort(),
      [
        ["a", "a", "x", "3"],
        ["b", "b", "x", "2"]
      ]
    )
  })

  it("are those of the last one among equals, and none where nothing was judged", () => {
    const common = commonEvaluations([by("x", "a", "1"), by("y", "a", "2")], ["a"])
    assert.strictEqual(common.get("a")?.scenario_digest, "y")
    assert.strictEqual(commonEvaluations([], ["a"]).size, 0)
  })
})
