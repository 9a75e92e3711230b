import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { renderFields, renderTable } from "../../../src/cli/render/table.ts"
import { ellipsis, plain, widthOf } from "../../../src/cli/render/text.ts"

const columns = [
  { title: "NAME", value: (row: ReadonlyArray<string>) => row[0] ?? "", least: 6 },
  { title: "COUNT", value: (row: ReadonlyArray<string>) => row[1] ?? "", right: true },
  { title: "WHERE", value: (row: ReadonlyArray<string>) => row[2] ?? "", spare: 1 }
]

describe("a table", () => {
  it("gives each column the width that its widest cell needs", () => {
    const rows = [
      ["a", "1", "here"],
      ["longer", "1234", "there"]
    ]
    assert.strictEqual(
      renderTable(rows, columns, 80),
      "NAME    COUNT  WHERE\na           1  here\nlonger   1234  there\n"
    )
  })

  it("cuts columns that may shrink, then leaves spare ones out, where the terminal is narrow", () => {
    const rows = [["a-rather-long-name", "12", "somewhere"]]
    assert.strictEqual(renderTable(rows, columns, 26), "NAME      COUNT  WHERE\na-rathe…     12  somewhere\n")
    assert.strictEqual(renderTable(rows, columns, 16), "NAME       COUNT\na-rather…     12\n")
  })

  it("prints no control or direction character of a cell", () => {
    assert.strictEqual(renderTable([["\u001b[31mred\u202e", "1", ""]], columns, 80).includes("\u001b"), false)
    assert.strictEqual(plain("a\u001b[2Jb\u202ec\u0007\u009b"), "a\ufffd[2Jb\ufffdc\ufffd\ufffd")
  })

  it.prop(
    "no line is wider than the terminal",
    [Arbitrary.schema(Schema.Array(Schema.Tuple([Schema.String, Schema.String, Schema.String])))],
    ([rows]) => {
      const shorter = rows.map(([name, count, where]) => [name, ellipsis(plain(count), 8), where])
      return renderTable(shorter, columns, 40)
        .split("\n")
        .every((line) => widthOf(line) <= 40)
    }
  )

  it("counts wide characters as two columns when it cuts", () => {
    assert.strictEqual(ellipsis("日本語テキスト", 7), "日本語…")
    assert.strictEqual(widthOf("日本語…"), 7)
  })
})

describe("fields", () => {
  it("continue a long value under its own column and break no word", () => {
    assert.strictEqual(
      renderFields(
        [
          ["Events", "one two three four"],
          ["Path", "/a/path/that/is/long/and/stays/whole"]
        ],
        24
      ),
      "Events  one two three\n        four\nPath    /a/path/that/is/long/and/stays/whole\n"
    )
  })

  it("keep their room beside a label that would take it, in a terminal of any width", () => {
    const fields = [
      [`Scenario ${"x".repeat(60)}`, "a project at a revision"],
      ["Seed", "1"]
    ] as const
    for (const columns of [20, 40, 80]) {
      const [label, ...lines] = renderFields(fields, columns).split("\n")
      assert.strictEqual(label, fields[0][0])
      assert.strictEqual(
        lines.filter((line) => line !== "").every((line) => widthOf(line) <= Math.max(columns, 22)),
        true
      )
      assert.include(lines, "Seed  1")
    }
    assert.strictEqual(renderFields(fields.slice(0, 1), 80), `${fields[0][0]}\n  a project at a revision\n`)
  })
})
