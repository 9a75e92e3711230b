import { assert, describe, it } from "@effect/vitest"
import { canonicalJson, indentedJson, parseJson, pythonFloat } from "../../../src/evidence/air/json.ts"
import { readVector } from "./vectors.ts"

describe("the canonical form of AIR records", () => {
  for (const { name, input_base64, python } of readVector("canonical/cases.json")) {
    it(`is what Python writes: ${name}`, () => {
      const value = parseJson(Buffer.from(input_base64, "base64"))
      assert.strictEqual(value === undefined ? null : canonicalJson(value), python)
    })
  }

  it("spells every double as Python does", () => {
    for (const { bits_be_hex, python_json_dumps } of readVector("canonical/float-spelling.json")) {
      assert.strictEqual(pythonFloat(Buffer.from(bits_be_hex, "hex").readDoubleBE()), python_json_dumps)
    }
  })

  it("keeps how numbers were written in a file", () => {
    const text = '{\n  "a": 1.0,\n  "b": -0.0,\n  "c": 9007199254740993,\n  "d": 1E5,\n  "e": {}\n}'
    const value = parseJson(Buffer.from(text))
    assert.isDefined(value)
    if (value !== undefined) assert.strictEqual(indentedJson(value), text)
  })

  it("refuses what is no JSON, however deep", () => {
    for (const text of ["", "{", "[1,]", "01", "1.", '"\t"', '"\\x"', "{a:1}", "nul", "[".repeat(100_000)]) {
      assert.isUndefined(parseJson(Buffer.from(text)), text.slice(0, 20))
    }
  })
})
