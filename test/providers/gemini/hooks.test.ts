import { assert, describe, it } from "@effect/vitest"
import { geminiHooks, type HookRow } from "../../../src/providers/gemini/hooks.ts"
import { payloads } from "./fixtures.ts"

const rows: ReadonlyArray<readonly [string, HookRow]> = Object.entries(geminiHooks)
const names = (keep: (row: HookRow) => boolean) => rows.filter(([, row]) => keep(row)).map(([name]) => name)

describe("the table of Gemini's hook events", () => {
  it("has the 11 events of 0.61.0, each of which was captured", () => {
    assert.strictEqual(rows.length, 11)
    assert.sameMembers(
      [...new Set(payloads.map(([, payload]) => String(payload.hook_event_name)))],
      names(() => true)
    )
  })

  it("registers what records a session, and nothing that comes with every request", () => {
    assert.deepStrictEqual(
      names((row) => !row.install),
      ["BeforeModel", "AfterModel", "BeforeToolSelection"]
    )
    assert.deepStrictEqual(
      rows.flatMap(([name, row]) => (row.matcher === undefined ? [] : [[name, row.matcher]])),
      [["PreCompress", "manual"]]
    )
  })

  it("answers JSON to every event", () => {
    for (const [, row] of rows) assert.deepStrictEqual(JSON.parse(row.answer), {})
  })

  it("lets every event but the end open an archive", () => {
    assert.deepStrictEqual(
      names((row) => !row.opens),
      ["SessionEnd"]
    )
  })
})
