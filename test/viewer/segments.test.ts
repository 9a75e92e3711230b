import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { plainText, segmentsOf } from "../../src/viewer/page/segments.ts"

describe("recorded text in pieces", () => {
  it("has redaction marks with their rules, and characters that are not seen with their names", () => {
    assert.deepStrictEqual(segmentsOf("a [REDACTED:github-pat] \u202eb"), [
      { _tag: "Text", text: "a " },
      { _tag: "Redaction", rule: "github-pat" },
      { _tag: "Text", text: " " },
      { _tag: "Control", code: "U+202E", shown: "U+202E", meaning: "right-to-left override" },
      { _tag: "Text", text: "b" }
    ])
    assert.strictEqual(plainText("\u001b[31m\u0007\u009b\u007f"), "<ESC>[31m<BEL><U+009B><DEL>")
  })

  it("leaves lines, tabs, emoji and other scripts alone", () => {
    const text = "one\n\ttwo 👩‍💻 עברית العربية ½"
    assert.deepStrictEqual(segmentsOf(text), [{ _tag: "Text", text }])
  })

  it("takes what only looks like a mark as text", () => {
    assert.strictEqual(plainText("[REDACTED:<b>]"), "[REDACTED:<b>]")
    assert.deepStrictEqual(
      segmentsOf("[REDACTED:<b>]").map(({ _tag }) => _tag),
      ["Text"]
    )
  })

  it.prop("loses nothing but the first half of Windows line ends", [Schema.String], ([text]) => {
    const back = segmentsOf(text)
      .map((segment) =>
        segment._tag === "Text"
          ? segment.text
          : segment._tag === "Redaction"
            ? `[REDACTED:${segment.rule}]`
            : String.fromCharCode(Number.parseInt(segment.code.slice(2), 16))
      )
      .join("")
    assert.strictEqual(back, text.replace(/\r\n/g, "\n"))
  })
})
