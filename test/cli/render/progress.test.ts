import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { progressLine, withProgress } from "../../../src/cli/render/progress.ts"
import { widthOf } from "../../../src/cli/render/text.ts"
import { Screen } from "../../../src/platform/Screen.ts"

const screenWith = (err: Array<string>, facts: Partial<typeof Screen.Service> = {}) =>
  Layer.effect(
    Screen,
    Effect.map(Screen, (screen) => Screen.of({ ...screen, ...facts }))
  ).pipe(Layer.provide(Screen.layerTest({ out: [], err }, [], 60)))
const terminal = { redraws: { out: true, err: true } }

describe("a line of progress", () => {
  it("shows what is done, as a bar, as counts and as a part of all", () => {
    assert.strictEqual(
      progressLine(12, 40, "replaying", 80),
      `replaying  ${"█".repeat(9)}${"░".repeat(21)}  12/40   30%`
    )
    assert.strictEqual(progressLine(0, 3, "a", 30), `a  ${"░".repeat(16)}  0/3    0%`)
    assert.strictEqual(progressLine(3, 3, "a", 30), `a  ${"█".repeat(16)}  3/3  100%`)
  })

  it("loses the bar first and then the end of the label where the terminal is narrow", () => {
    assert.strictEqual(progressLine(1, 4, "a rather long label", 39), "a rather long label  1/4   25%")
    assert.strictEqual(progressLine(1, 4, "a rather long label", 24), "a rather lon…  1/4   25%")
    assert.strictEqual(progressLine(1, 4, "a rather long label", 10), "1/4   25%")
  })

  it("has no bar where the end is not known", () => {
    assert.strictEqual(progressLine(7, 0, "reading", 40), "reading  7")
  })

  it("prints no control character of a label", () => {
    assert.notInclude(progressLine(1, 2, "\u001b[2J\r\nhi", 60), "\u001b")
  })

  it.prop(
    "is never wider than the terminal, whatever it is told",
    [Schema.Finite, Schema.Finite, Schema.String, Schema.Natural],
    ([done, total, label, width]) => widthOf(progressLine(done, total, label, 1 + (width % 200))) <= 1 + (width % 200)
  )
})

describe("progress of a command", () => {
  const work = (fails = false) =>
    withProgress({ total: 2 }, (progress) =>
      Effect.gen(function* () {
        yield* progress.step(1, "first")
        yield* progress.note("something happened")
        yield* progress.step(2, "second")
        if (fails) return yield* Effect.fail("broken")
      })
    )

  it.effect("is a line of words for each step, nothing drawn, where stderr is no terminal", () =>
    Effect.gen(function* () {
      const err: Array<string> = []
      yield* work().pipe(Effect.provide(screenWith(err)))
      const lines = err.join("").split("\n")
      assert.strictEqual(lines[0], "first  1/2   50%")
      assert.strictEqual(lines[1], "something happened")
      assert.strictEqual(lines[2], "second  2/2  100%")
      assert.notInclude(err.join(""), "\u001b")
    })
  )

  it.effect("is drawn over on a terminal and gone at the end, also after a failure", () =>
    Effect.gen(function* () {
      for (const fails of [false, true]) {
        const err: Array<string> = []
        yield* work(fails).pipe(Effect.ignore, Effect.provide(screenWith(err, terminal)))
        assert.isTrue(
          err.every((text) => text.startsWith("\r")),
          "each write begins at the left"
        )
        assert.include(err.join(""), "\r\u001b[Ksomething happened\n")
        assert.strictEqual(err.at(-1), "\r\u001b[K")
      }
    })
  )

  it.effect("says nothing when the command prints JSON", () =>
    Effect.gen(function* () {
      const err: Array<string> = []
      yield* withProgress({ total: 1, quiet: true }, (progress) => progress.step(1, "one")).pipe(
        Effect.provide(screenWith(err, terminal))
      )
      assert.deepStrictEqual(err, [])
    })
  )

  it.effect("is drawn in ASCII where the locale knows no other characters", () =>
    Effect.gen(function* () {
      const err: Array<string> = []
      yield* work().pipe(Effect.provide(screenWith(err, { ...terminal, unicode: false })))
      assert.match(err.join("").replaceAll("\u001b[K", ""), /^[\r\n\x20-\x7e]*$/)
      assert.match(err[0] ?? "", /first {2}#+\.+ /)
    })
  )
})
