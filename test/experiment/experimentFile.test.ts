import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Ajv2020 } from "ajv/dist/2020.js"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { parse } from "jsonc-parser"
import { Scenario } from "../../src/domain/scenario.ts"
import { readExperiment } from "../../src/experiment/experimentFile.ts"
import { experimentSchemas } from "../../src/experiment/jsonSchema.ts"
import { exampleScenario, startingFile } from "../../src/experiment/startingFile.ts"
import { diskAndHost, temporaryDirectory } from "../support/temporaryHost.ts"
import { twoArms } from "./laboratory.ts"

const readText = (text: string) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const file = path.join(directory, "experiment.jsonc")
    fs.writeFileSync(file, text)
    return yield* readExperiment(file).pipe(Effect.provide(diskAndHost(directory)))
  })
const faultOf = (value: unknown) =>
  Effect.map(Effect.flip(readText(typeof value === "string" ? value : JSON.stringify(value))), ({ message }) => message)

const published = experimentSchemas()["experiment.schema.json"] ?? {}
const fits = new Ajv2020({ strict: false }).compile(published)

const beginning = startingFile({
  ...{ id: "lab", provider: "gemini", model: "m", repetitions: 10, scenarios: ["scenarios/a.json"] },
  ...{ repository: "../app", memory: { from: "empty" } }
} as const)

describe("an experiment's file", () => {
  it.effect("may hold comments, commas at the end, a byte order mark and the name of its schema", () =>
    Effect.gen(function* () {
      const text = `\ufeff// Ours.\n${JSON.stringify({ $schema: "experiment.schema.json", ...twoArms }).slice(0, -1)},}`
      assert.deepStrictEqual(yield* readText(text), yield* readText(JSON.stringify(twoArms)))
    })
  )

  it.effect("is refused with the place of each fault", () =>
    Effect.gen(function* () {
      assert.match(yield* faultOf('{\n  "id": \n}'), /It is no JSON from line 3, column 1 on/)
      assert.match(yield* faultOf("[]"), /It holds no JSON object/)
      const message = yield* faultOf({ ...twoArms, repetitions: 0, sceduling: "abba", order: "baab", scenarios: [] })
      for (const place of [/repetitions: /, /sceduling: there is no such field/, /order: /, /scenarios/]) {
        assert.match(message, place)
      }
      const { arms: _, ...without } = twoArms
      assert.match(yield* faultOf(without), /arms: it is missing/)
    })
  )

  it.effect("is refused with the faults of an arm in the form that it is meant in", () =>
    Effect.gen(function* () {
      const preset = yield* faultOf({ ...twoArms, arms: [...twoArms.arms, { preset: "nativ", provider: "claude" }] })
      assert.match(preset, /run\. arms\[2\]\.preset: expected "native" \| "lint-ai" \| "both"\.$/)
      const whole = yield* faultOf({ ...twoArms, arms: [{ name: "A b", provider: "claude", lint_ai: true }] })
      assert.match(whole, /arms\[0\]\.name: expected a name: lower-case letters, digits and dashes\./)
      assert.match(whole, /arms\[0\]\.native_memory: it is missing\./)
      assert.notMatch(whole, /preset/)
    })
  )

  it.effect("that is not there says how to get one", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const error = yield* Effect.flip(readExperiment(path.join(directory, "none.json")))
      assert.match(error.message, /There is no .*none\.json.*experiment init/)
    }).pipe(Effect.provide(diskAndHost("/tmp")))
  )

  it.effect("to begin with is one that can be read, with every field, and its scenario too", () =>
    Effect.gen(function* () {
      const read = yield* readText(beginning)
      assert.deepInclude(read, { id: "lab", aa_lane: true, repetitions: 10 })
      assert.deepStrictEqual(
        read.arms.map((arm) => [arm.provider, arm.model]),
        [
          ["gemini", "m"],
          ["gemini", "m"]
        ]
      )
      assert.isTrue(Schema.is(Scenario)(exampleScenario))
      const missing = Object.keys((published as { properties: object }).properties).filter(
        (field) => !Object.hasOwn(read, field)
      )
      assert.deepStrictEqual(missing, ["$schema", "description"])
    })
  )

  it("fits the schema that is published, and a wrong one does not", () => {
    const file = path.join(import.meta.dirname, "../../docs/json/experiment.schema.json")
    assert.deepStrictEqual(JSON.parse(fs.readFileSync(file, "utf8")), JSON.parse(JSON.stringify(published)))
    assert.isTrue(fits(twoArms))
    assert.isTrue(fits(parse(beginning, [], { allowTrailingComma: true })))
    for (const wrong of [{ repetitions: 0 }, { other: 1 }, { arms: [] }, { order: "x" }, { id: "UPPER" }]) {
      assert.isFalse(fits({ ...twoArms, ...wrong }), JSON.stringify(wrong))
    }
  })
})
