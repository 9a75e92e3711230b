import { assert, describe, it } from "@effect/vitest"
import { classesOf } from "../../src/redaction/characterClasses.ts"
import { scanText } from "../../src/redaction/scanText.ts"
import {
  anchorsOf,
  linesOfComposed,
  linesOfFormats,
  readComposed,
  readFormat
} from "../../src/redaction/tokenFormats.ts"
import { makeRandom } from "./corpus/random.ts"
import { tokenKinds } from "./corpus/tokens.ts"

const spansOf = (text: string) => scanText(text, { left: Number.POSITIVE_INFINITY }) ?? []

describe("the table of token formats", () => {
  it("is well formed", () => {
    for (const line of linesOfFormats()) {
      const { id, prefixes, characters, min, max, flags } = readFormat(line)
      assert.match(id, /^[a-z0-9-]+$/)
      // A scan tells the end of the prefixes by the colon behind them.
      for (const prefix of prefixes) assert.match(prefix, /^[^\s:][^\s]+$/, id)
      assert.isTrue(
        classesOf.some((bits) => (bits & characters) !== 0),
        id
      )
      assert.isAtLeast(min, 1, id)
      assert.isAtLeast(max, min, id)
      assert.match(flags, /^[dul=saxwc]*$/, id)
    }
    for (const line of linesOfComposed()) {
      const { id, anchor, parts, flags } = readComposed(line)
      assert.match(id, /^[a-z0-9-]+$/)
      assert.match(flags, /^[dul=saxwc]*$/, id)
      assert.isAtLeast(anchorsOf(line).length, 1, id)
      for (const [index, part] of parts.entries()) {
        if ("characters" in part) assert.isAbove(part.characters, 0, id)
        // What has the signs of a run and is none was meant to be one.
        else
          assert.isFalse(
            part.some((literal) => /[{}]/.test(literal)),
            id
          )
        if (index === anchor) assert.isFalse("characters" in part, id)
      }
    }
  })

  it("finds a drawn token of every kind, alone on its line", () => {
    const random = makeRandom("formats")
    for (const { kind, draw } of tokenKinds) {
      for (let i = 0; i < 3; i++) {
        const token = draw(random)
        const [span, ...more] = spansOf(`first\n${token}\nlast`)
        assert.isDefined(span, `${kind}: ${token.length} characters`)
        assert.isAtMost(span?.start ?? 0, 6 + 8, kind)
        assert.isAtLeast(span?.end ?? 0, 6 + token.length - 4, kind)
        assert.lengthOf(more, 0, kind)
      }
    }
  })

  it("finds nothing in prefixes without a body, or with words behind them", () => {
    const all = linesOfFormats().flatMap((line) => readFormat(line).prefixes)
    for (const prefix of all) {
      // The longer prefix of a shorter one is a body cut short.
      if (!all.some((shorter) => shorter !== prefix && prefix.startsWith(shorter))) {
        for (const text of [prefix, `${prefix}...`, `${prefix}example`, `the ${prefix} prefix`, `${prefix}*`]) {
          assert.lengthOf(spansOf(text), 0, text)
        }
      }
    }
  })

  it("does not begin a token in the middle of a word", () => {
    assert.lengthOf(spansOf("risk-assessment-of-2026-and-more-words-behind-it"), 0)
    assert.lengthOf(spansOf(`xgh${"p_"}n3Kq8ZtX1vBc5LmR7wYd2PfH`), 0)
  })
})
