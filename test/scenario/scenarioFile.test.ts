import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { Evaluation, Scenario } from "../../src/domain/scenario.ts"
import { Disk } from "../../src/platform/Disk.ts"
import { scenarioSchemas } from "../../src/scenario/jsonSchema.ts"
import { parseScenario, readScenario } from "../../src/scenario/scenarioFile.ts"
import { awkwardJson } from "../support/arbitraries.ts"
import { temporaryDirectory } from "../support/temporaryHost.ts"

/** The example of the documentation. */
const example = {
  schema_version: 1,
  id: "review-session-abc123",
  category: "session-review",
  source_session: {
    provider: "claude",
    session_id: "abc123",
    archive: ".lint-ai/claude-sessions/abc123",
    repository_revision: "abc123"
  },
  setup_messages: [{ prompt: "Find the store.", establishes_fact_ids: [] }],
  continuation_prompt: "Which is it?",
  expected_facts: [],
  validators: [],
  limits: { max_duration_seconds: 600, max_output_tokens: 4000 }
}

const parse = (value: unknown) => parseScenario(Buffer.from(typeof value === "string" ? value : JSON.stringify(value)))
const faultsOf = (value: unknown) => {
  const read = parse(value)
  return read._tag === "Faults" ? read.faults : []
}
const paths = (value: unknown) => faultsOf(value).map(({ path: place }) => place)

describe("a scenario", () => {
  it("is read as the documentation writes it", () => {
    const read = parse(example)
    assert.deepStrictEqual(read, { _tag: "Scenario", scenario: example, notes: [] } as unknown as typeof read)
  })

  it("says everything that is wrong with it at once, where and what to do", () => {
    const faults = faultsOf({
      ...example,
      schema_version: 2,
      id: "No Id",
      expectedFacts: [],
      expected_facts: [
        { id: "a", match_any: [] },
        { id: "b", match_any: [3], regexp: true }
      ],
      validators: [{ name: "t", command: "npm test" }],
      limits: { max_turns: -1, max_tokens: 5 },
      continuation_prompt: undefined
    })
    assert.deepStrictEqual(faults.map(({ path: place }) => place).sort(), [
      "continuation_prompt",
      "expectedFacts",
      "expected_facts[0].match_any",
      "expected_facts[1].match_any[0]",
      "expected_facts[1].regexp",
      "id",
      "limits.max_tokens",
      "limits.max_turns",
      "schema_version",
      "validators[0].command"
    ])
    for (const { path: place, problem, remedy } of faults) {
      assert.match(problem, /\.$/, place)
      assert.match(remedy, /[.\]}]$/, place)
    }
    assert.deepInclude(
      faults.find(({ path: place }) => place === "expectedFacts"),
      { remedy: "Write expected_facts." }
    )
  })

  const facts = (expected: ReadonlyArray<unknown>, forbidden: ReadonlyArray<unknown> = []) => ({
    ...example,
    expected_facts: expected,
    forbidden_facts: forbidden
  })
  it.each([
    [
      "two facts of one id",
      facts([
        { id: "a", match_any: ["x"] },
        { id: "a", match_any: ["y"] }
      ]),
      ["expected_facts[1].id"]
    ],
    [
      "a fact that is both expected and forbidden",
      facts([{ id: "a", match_any: ["x"] }], [{ id: "a", match_any: ["z"] }]),
      ["forbidden_facts[0].id"]
    ],
    [
      "a text that is both expected and forbidden",
      facts([{ id: "a", match_any: ["The `Store`"] }], [{ id: "b", match_any: ["the store"] }]),
      ["forbidden_facts[0]"]
    ],
    ["a text of which nothing is left", facts([{ id: "a", match_any: ["**"] }]), ["expected_facts[0].match_any[0]"]],
    [
      "a pattern that looks ahead",
      facts([{ id: "a", match_any: ["ok", "(?=x)y"], regex: true }]),
      ["expected_facts[0].match_any[1]"]
    ],
    [
      "a pattern that is in every answer",
      facts([{ id: "a", match_any: ["x*"], regex: true }]),
      ["expected_facts[0].match_any[0]"]
    ],
    [
      "an established fact that is none",
      { ...example, setup_messages: [{ prompt: "p", establishes_fact_ids: ["gone"] }] },
      ["setup_messages[0].establishes_fact_ids"]
    ],
    [
      "two validators of one name",
      {
        ...example,
        validators: [
          { name: "t", command: ["true"] },
          { name: "t", command: ["false"] }
        ]
      },
      ["validators[1].name"]
    ],
    [
      "a command without a program",
      { ...example, validators: [{ name: "t", command: [" "] }] },
      ["validators[0].command[0]"]
    ],
    ["a command with a NUL", { ...example, validators: [{ name: "t", command: ["a\0b"] }] }, ["validators[0].command"]],
    [
      "a validator that may take days",
      { ...example, validators: [{ name: "t", command: ["true"], timeout_seconds: 1e9 }] },
      ["validators[0].timeout_seconds"]
    ],
    [
      "a revision that is an option of Git",
      { ...example, repository: { path: ".", revision: "--upload-pack=evil" } },
      ["repository.revision"]
    ]
  ])("with %s is faulty there", (_, value, expected) => {
    assert.deepStrictEqual(paths(value), expected)
  })

  it.each([
    ["no JSON", "{", "The file is no JSON"],
    ["a list", "[]", "The file holds no JSON object."],
    [
      "bytes that are no text",
      Buffer.from([0x7b, 0xff, 0x7d]),
      "The file is no JSON (it holds bytes that are no UTF-8)."
    ],
    ["too much", `{"a":"${"x".repeat(3 * 1024 * 1024)}"}`, "The file is larger than 2 MiB."],
    ["depth", `${"[".repeat(900_000)}`, "The file is no JSON"]
  ])("is not a file with %s", (_, bytes, problem) => {
    const read = parseScenario(Buffer.from(bytes))
    assert.strictEqual(read._tag, "Faults")
    if (read._tag === "Faults") {
      assert.include(read.faults[0]?.problem, problem)
      assert.strictEqual(read.faults[0]?.path, "")
    }
  })

  it("with more faults than a person reads tells the first ones, and how many there are", () => {
    const many = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`field${at}`, at]))
    const faults = faultsOf({ ...example, ...many })
    assert.lengthOf(faults, 101)
    assert.strictEqual(faults.at(-1)?.problem, "There are 19900 more faults.")
  })

  it("says where its JSON breaks and quotes none of it", () => {
    const [fault] = faultsOf('{"id": secret-word}')
    assert.notInclude(fault?.problem, "secret")
    assert.match(fault?.problem ?? "", /line 1, column 8/)
  })

  it("of an older form is read where its meaning is clear, and says so", () => {
    const { continuation_prompt: prompt, ...older } = example
    const read = parse({
      ...older,
      repository: { path: ".", revision: "abc123" },
      limits: { timeout_seconds: 90, max_turns: 4, max_budget_usd: 1 },
      continuation_messages: [{ prompt }]
    })
    assert.strictEqual(read._tag, "Scenario")
    if (read._tag !== "Scenario") return
    assert.deepStrictEqual(read.scenario.limits, { max_duration_seconds: 90, max_turns: 4, max_budget_usd: 1 })
    assert.strictEqual(read.scenario.continuation_prompt, prompt)
    assert.lengthOf(read.notes, 2)
  })

  it("of an older form with several continuation messages is refused, for one prompt is scored", () => {
    assert.deepStrictEqual(paths({ ...example, continuation_messages: ["a", "b"] }), ["continuation_messages"])
    assert.deepStrictEqual(paths({ ...example, continuation_messages: ["another"] }), ["continuation_messages"])
  })

  it.prop("is never read from awkward JSON without a fault, nor does that throw", { json: awkwardJson }, ({ json }) => {
    assert.isNotEmpty(faultsOf(json))
  })

  it.prop(
    "that its schema writes is read as the same, or has faults of meaning only",
    { scenario: Arbitrary.schema(Scenario) },
    ({ scenario }) => {
      const text = JSON.stringify(Schema.encodeSync(Scenario)(scenario))
      const read = parse(text)
      if (read._tag === "Scenario") assert.deepStrictEqual(read.scenario, scenario)
      else for (const { path: place } of read.faults) assert.notStrictEqual(place, "")
    }
  )

  it.effect("is refused with the path and the system's word where it cannot be read", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const read = (name: string) => Effect.exit(readScenario(path.join(directory, name)))
      assert.include(String((yield* read("gone.json")).toString()), "ScenarioUnreadable")
      assert.include(String(yield* read(".")), "ScenarioUnreadable")
      fs.writeFileSync(path.join(directory, "big.json"), Buffer.alloc(10 * 1024 * 1024, " "))
      assert.include(String(yield* read("big.json")), "larger than")
      fs.writeFileSync(path.join(directory, "ok.json"), JSON.stringify(example))
      const ok = yield* read("ok.json")
      assert.isTrue(Exit.isSuccess(ok))
      // Its digest is that of the bytes: one more space is another scenario.
      fs.writeFileSync(path.join(directory, "same.json"), `${JSON.stringify(example)} `)
      const same = yield* read("same.json")
      if (Exit.isSuccess(ok) && Exit.isSuccess(same)) assert.notStrictEqual(ok.value.digest, same.value.digest)
    }).pipe(Effect.provide(Disk.layer))
  )
})

describe("the published JSON Schema", () => {
  const published = (name: string) =>
    JSON.parse(fs.readFileSync(path.join(import.meta.dirname, "../../docs/json", name), "utf8"))

  it("is what the sources give", () => {
    for (const [name, schema] of Object.entries(scenarioSchemas())) {
      assert.deepStrictEqual(published(name), JSON.parse(JSON.stringify(schema)), `node scripts/scenario-schemas.mjs`)
    }
  })

  it("takes the example, and not one with a misspelled field", () => {
    const validate = new Ajv2020({ strict: false }).compile(published("scenario.schema.json"))
    assert.isTrue(validate(example), JSON.stringify(validate.errors))
    assert.isFalse(validate({ ...example, expectedFacts: [] }))
    assert.isFalse(validate({ ...example, id: "No Id" }))
  })

  const validate = new Ajv2020({ strict: false }).compile(published("evaluation.schema.json"))
  it.prop("takes every evaluation", { evaluation: Arbitrary.schema(Evaluation) }, ({ evaluation }) => {
    assert.isTrue(validate(Schema.encodeSync(Evaluation)(evaluation)), JSON.stringify(validate.errors))
  })
})
