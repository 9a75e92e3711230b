import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { patternOf } from "../../src/viewer/page/pattern.ts"

describe("the pattern of a search", () => {
  it.prop("finds any text in itself, whatever signs are in it", [Schema.String], ([text]) => {
    const pattern = patternOf(text)
    if (text === "") assert.isUndefined(pattern)
    // Half of a surrogate pair is no character that somebody could type.
    else if (!/\p{Surrogate}/u.test(text)) assert.isTrue(pattern?.test(`before ${text} after`))
  })

  it("takes signs as they are and letters in any case", () => {
    assert.deepStrictEqual("a.b axb A.B".match(patternOf("a.b") ?? /$^/), ["a.b", "A.B"])
  })
})
