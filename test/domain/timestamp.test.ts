import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { Timestamp, timestampOf } from "../../src/domain/timestamp.ts"

const read = Schema.decodeUnknownOption(Timestamp)

/** As written, and what it is read as; undefined where it is no time. */
const forms: ReadonlyArray<readonly [written: string, read: string | undefined]> = [
  ["2026-08-16T12:00:00.123Z", "2026-08-16T12:00:00.123Z"],
  ["unix:1786881600", "2026-08-16T12:00:00.000Z"],
  ["unix:1786881600.5", "2026-08-16T12:00:00.500Z"],
  ["unix:0", "1970-01-01T00:00:00.000Z"],
  ["unix:-1", "1969-12-31T23:59:59.000Z"],
  ["2026-08-16T12:00:00Z", "2026-08-16T12:00:00.000Z"],
  ["2026-08-16T12:00:00.1Z", "2026-08-16T12:00:00.100Z"],
  ["2026-08-16T12:00:00.123456789Z", "2026-08-16T12:00:00.123Z"],
  ["2026-08-16T14:00:00+02:00", "2026-08-16T12:00:00.000Z"],
  ["2026-08-16T07:30:00.250-04:30", "2026-08-16T12:00:00.250Z"],
  ["unix:99999999999999999999", undefined],
  ["unix:soon", undefined],
  ["yesterday", undefined],
  ["", undefined]
]

describe("a timestamp", () => {
  for (const [written, expected] of forms) {
    it(`"${written}" is read as ${expected ?? "no time"}`, () => {
      const result = read(written)
      assert.strictEqual(result._tag === "Some" ? result.value : undefined, expected)
    })
  }

  it.prop("of any moment is written in a form that is read as it stands", { ms: Schema.Int }, ({ ms }) => {
    const text = timestampOf(ms % 8.64e15)
    // Years beyond 9999 have a sign and six digits, which no reader of RFC 3339 knows; no clock shows them.
    if (!/^\d{4}-/.test(text)) return
    const result = read(text)
    assert.strictEqual(result._tag === "Some" ? result.value : undefined, text)
  })
})
