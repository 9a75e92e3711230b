import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { boundValue } from "../../src/viewer/boundValue.ts"

const bounds = { string: 10, items: 3, depth: 4 }

describe("a value for a page", () => {
  it("stays as it is when it is small", () => {
    const value = { a: ["x", 1, null, true].slice(0, 3), b: { c: "y" } }
    assert.deepStrictEqual(boundValue(value, bounds, "payload").value, value)
    assert.deepStrictEqual(boundValue(value, bounds, "payload").cuts, [])
  })

  it("keeps the beginning of a long text and of a long list, and says where and how much went", () => {
    const { cuts, value } = boundValue({ text: "0123456789abc", list: [1, 2, 3, 4, 5] }, bounds, "payload")
    assert.deepStrictEqual(value, { text: "0123456789", list: [1, 2, 3] })
    assert.deepStrictEqual(cuts, [
      { path: "payload.text", characters: 3 },
      { path: "payload.list", characters: 2 }
    ])
  })

  it("is never cut inside of a surrogate pair", () => {
    assert.strictEqual(boundValue("012345678\u{1f600}", bounds, "p").value, "012345678")
  })

  it("ends at a depth, however deep it is", () => {
    const deep = JSON.parse(`${"[".repeat(5_000)}${"]".repeat(5_000)}`)
    assert.strictEqual(JSON.stringify(boundValue(deep, bounds, "p").value), '[[[["…"]]]]')
  })

  it("keeps keys that mean something to JavaScript as keys", () => {
    const { value } = boundValue(JSON.parse('{"__proto__": {"x": 1}}'), bounds, "p")
    assert.strictEqual(JSON.stringify(value), '{"__proto__":{"x":1}}')
    assert.isUndefined(({} as { readonly x?: number }).x)
  })

  it.prop(
    "is no larger than its bounds allow, and JSON again",
    [Schema.Json],
    ([value]) => {
      // As it would come out of a log, in which there is no negative zero.
      const bounded = boundValue(JSON.parse(JSON.stringify(value)), bounds, "p")
      const largest = (one: unknown): boolean =>
        typeof one === "string"
          ? one.length <= bounds.string
          : typeof one !== "object" || one === null
            ? true
            : Object.keys(one).length <= bounds.items && Object.values(one).every(largest)
      assert.isTrue(largest(bounded.value))
      assert.deepStrictEqual(JSON.parse(JSON.stringify(bounded.value)), bounded.value)
    },
    { arbitrary: { runs: 200 } }
  )
})
