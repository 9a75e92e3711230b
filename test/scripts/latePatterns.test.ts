import * as vm from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { withLatePatterns } from "../../scripts/latePatterns.mjs"

describe("what the build makes of patterns", () => {
  it("writes those that a function gives back as text, and no other", () => {
    assert.strictEqual(
      withLatePatterns(
        String.raw`const a = () => /["'\/\n]\d/gi, b = () => [{ c: /x/, d: f(/y/) }, () => ({ e: /z/ })]`
      ),
      String.raw`const a = () => new RegExp("[\"'\\/\\n]\\d", "gi"), b = () => [{ c: new RegExp("x", ""), d: f(/y/) }, () => ({ e: new RegExp("z", "") })]`
    )
    for (const left of ["const a = /x/g\n", "const b = (x) => /x/.test(x)\n", "function f() { return /x/ }\n"])
      assert.strictEqual(withLatePatterns(left), left)
  })

  it("makes those of the file where they are used first, if that is at one place or two", () => {
    assert.strictEqual(
      withLatePatterns(
        "const a = /x/y;\nconst f = (t) => { a.lastIndex = 1; return a.exec(t) }, g = { a: 1 }, h = g.a\n"
      ),
      'var a;\nconst f = (t) => { (a ??= new RegExp("x", "y")).lastIndex = 1; return (a ??= new RegExp("x", "y")).exec(t) }, g = { a: 1 }, h = g.a\n'
    )
    assert.strictEqual(
      withLatePatterns("const a = /x/;\nexport const f = (t) => t.search(a)\n"),
      'var a;\nexport const f = (t) => t.search((a ??= new RegExp("x", "")))\n'
    )
    assert.strictEqual(
      withLatePatterns("var a, b;\nvar init = late(() => { b = 1; a = /x/ });\nconst f = (t) => a.test(t)\n"),
      'var a, b;\nvar init = late(() => { b = 1; a = undefined });\nconst f = (t) => (a ??= new RegExp("x", "")).test(t)\n'
    )
    for (const left of [
      "const a = /x/;\nconst f = (a) => a.b, g = a.test(1)\n",
      "const a = /x/;\nconst f = (t) => { const a = /y/; return a.test(t) }\n",
      "const a = /x/;\nconst f = { a }\n",
      "const a = /x/;\nexport { a }\n",
      "const a = /x/;\nconst f = { b: a }\n",
      "const a = /x/;\nconst f = (t) => a.test(t) || a.test(t + 1) || a.test(t + 2)\n",
      "let a = /x/;\nconst f = (t) => a.test(t)\n",
      "var a;\nconst f = () => { a = /x/ }, g = () => { a = /y/ }, h = (t) => a.test(t)\n",
      "var a;\nconst f = () => { a = /x/ }, g = () => { a = 1 }, h = (t) => a.test(t)\n",
      "var a = 1;\nconst f = () => { a = /x/ }, h = (t) => a.test(t)\n",
      "var a;\nconst f = () => { a = /x/ }, g = (t) => { for (const a of t) a.test(1) }\n"
    ])
      assert.strictEqual(withLatePatterns(left), left)
  })

  it("changes nothing of what they match", () => {
    const code = String.raw`
      const made = () => [/^["'\\/]+\u2026[^\n]$/s, /(?<a>\d)\k<a>/g, /\//y]
      JSON.stringify(made().map((one) => [one.source, one.flags]))
    `
    assert.strictEqual(vm.runInNewContext(withLatePatterns(code)), vm.runInNewContext(code))
  })
})
