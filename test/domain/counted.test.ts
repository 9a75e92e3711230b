import { assert, describe, it } from "vitest"
import { counted, eventRange } from "../../src/domain/counted.ts"

describe("numbers in sentences", () => {
  it("take the singular for one alone, and a plural of their own where there is one", () => {
    assert.deepStrictEqual(
      [0, 1, 2, 1_214].map((count) => counted(count, "event")),
      ["0 events", "1 event", "2 events", "1,214 events"]
    )
    assert.deepStrictEqual(
      [1, 2].map((count) => counted(count, "memory", "memories")),
      ["1 memory", "2 memories"]
    )
  })

  it("name one event, or the first and the last of several", () => {
    assert.strictEqual(eventRange(3, 3, ["is", "are"]), "event 3 is")
    assert.strictEqual(eventRange(3, 5, ["is", "are"]), "events 3 to 5 are")
  })
})
