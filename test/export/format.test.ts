import { assert, describe, it } from "vitest"
import { formatDuration } from "../../src/export/format.ts"

describe("a duration", () => {
  const cases: ReadonlyArray<readonly [milliseconds: number, shown: string]> = [
    [0, "0 ms"],
    [74.4, "74 ms"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [3_200, "3.2 s"],
    [59_940, "59.9 s"],
    [59_960, "1m 00s"],
    [60_000, "1m 00s"],
    [119_999, "1m 59s"],
    [728_000, "12m 08s"],
    [3_599_999, "59m 59s"],
    [3_600_000, "1h 00m"],
    [7_500_000, "2h 05m"]
  ]
  for (const [milliseconds, shown] of cases)
    it(`of ${milliseconds} ms is ${shown}`, () => assert.strictEqual(formatDuration(milliseconds), shown))
})
