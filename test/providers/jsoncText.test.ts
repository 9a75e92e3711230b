import { assert, describe, it } from "@effect/vitest"
import {
  appendItem,
  appendMember,
  isProblem,
  type JsoncText,
  readJsonc,
  remove
} from "../../src/providers/jsoncText.ts"

const document = (text: string): JsoncText => {
  const read = readJsonc(text)
  assert.isFalse(isProblem(read))
  return read as JsoncText
}

describe("appendMember", () => {
  const samples: ReadonlyArray<[before: string, after: string]> = [
    [`{}`, `{\n  "new": 1\n}`],
    [`{\n}`, `{\n  "new": 1\n}`],
    [`{ // empty\n}`, `{ // empty\n  "new": 1\n}`],
    [`{"a":1}`, `{"a":1,"new":1}`],
    [`{ "a": 1 }`, `{ "a": 1, "new": 1 }`],
    [`{"a":1,}`, `{"a":1,"new":1,}`],
    [`{\n\t"a": 1\n}\n`, `{\n\t"a": 1,\n\t"new": 1\n}\n`],
    [`{\r\n    "a": 1\r\n}`, `{\r\n    "a": 1,\r\n    "new": 1\r\n}`],
    [`{\n  "a": 1 // one\n}`, `{\n  "a": 1, // one\n  "new": 1\n}`],
    [`{\n  "a": 1,\n  // last\n}`, `{\n  "a": 1,\n  // last\n  "new": 1,\n}`],
    [`{ "a": 1 // one\n}`, `{ "a": 1, // one\n  "new": 1\n}`],
    [`{ "a": [\n1] }`, `{ "a": [\n1], "new": 1 }`]
  ]
  it.each(samples)("makes of %j", (before, after) => {
    const changed = appendMember(document(before), [], "new", 1)
    assert.strictEqual(changed.text, after)
    const removed = remove(changed, ["new"]).text
    assert.strictEqual(removed, before === "{}" ? "{\n}" : before)
  })

  it("writes a value over several lines with the indentation of the file", () => {
    const changed = appendMember(document(`{\r\n\t"a": {\r\n\t}\r\n}`), ["a"], "new", { b: [1] })
    assert.strictEqual(
      changed.text,
      `{\r\n\t"a": {\r\n\t\t"new": {\r\n\t\t\t"b": [\r\n\t\t\t\t1\r\n\t\t\t]\r\n\t\t}\r\n\t}\r\n}`
    )
  })
})

describe("appendItem", () => {
  it.each([
    [`{\n  "a": [1, 2]\n}`, `{\n  "a": [1, 2, { "x": "a  b" }]\n}`],
    [`{"a":[]}`, `{"a":[{"x":"a  b"}]}`],
    [`{ "a": [] }`, `{ "a": [ { "x": "a  b" } ] }`]
  ])("makes of %j", (before, after) => {
    assert.strictEqual(appendItem(document(before), ["a"], { x: "a  b" }).text, after)
  })
})

describe("remove", () => {
  it.each([
    ["the first", `{"a": [1, 2, 3]}`, 0, `{"a": [ 2, 3]}`],
    ["a middle one", `{"a": [1, 2, 3]}`, 1, `{"a": [1, 3]}`],
    ["the last", `{"a": [1, 2, 3]}`, 2, `{"a": [1, 2]}`],
    ["the last before a trailing comma", `{"a": [1, 2, ]}`, 1, `{"a": [1, ]}`],
    ["the only one", `{"a": [ 1 ]}`, 0, `{"a": [ ]}`],
    ["one between comments", `{"a": [\n  // one\n  1, // two\n  2\n]}`, 0, `{"a": [\n  // one // two\n  2\n]}`],
    ["one that a line comment stands before", `{"a": [ // one\n1, 2]}`, 0, `{"a": [ // one\n 2]}`],
    ["one with a comment before its comma", `{"a": [1 /* one */, 2]}`, 0, `{"a": [ /* one */ 2]}`],
    ["one that is not there", `{"a": [1]}`, 5, `{"a": [1]}`]
  ])("takes %s out with its comma", (_name, before, index, after) => {
    assert.strictEqual(remove(document(before), ["a", index]).text, after)
    assert.isFalse(isProblem(readJsonc(after)))
  })

  it("takes the last of two members with one key, as readers do", () => {
    assert.strictEqual(remove(document(`{"a":1,"b":2,"a":3}`), ["a"]).text, `{"a":1,"b":2}`)
  })
})

describe("readJsonc", () => {
  it.each([
    ["{", 1, 2, "close brace expected"],
    [`{\r\n "a" 1}`, 2, 6, "colon expected"],
    [`{"a":1} x`, 1, 9, "invalid symbol"],
    [`{"a":"\n"}`, 1, 6, "unexpected end of string"]
  ])("says where %j stops being JSON", (text, line, column, problem) => {
    assert.deepStrictEqual(readJsonc(text), { line, column, problem })
  })
})
