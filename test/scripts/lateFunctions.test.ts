import * as vm from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { withLateFunctions, withLatePatterns } from "../../scripts/lateFunctions.mjs"

describe("what the build makes of arrow functions", () => {
  it("writes out those that stand outside of every function, and no other", () => {
    assert.strictEqual(
      withLateFunctions("const a = (x) => { return x }, b = y => y + 1, c = async (...z) => await z\n"),
      "const a = function(x) { return x }, b = function(y) { return (y + 1) }, c = async function(...z) { return (await z) }\n"
    )
    for (const left of [
      "function f() { return [1].map((x) => x) }\n",
      "class A { b = (x) => x; static { setTimeout(() => 1) } }\n",
      "const once = (() => 1)()\n"
    ]) {
      assert.strictEqual(withLateFunctions(left), left)
    }
  })

  it("leaves those that ask for what is not their own", () => {
    for (const left of ["const a = () => this\n", "const b = (x) => () => arguments[x]\n"]) {
      assert.strictEqual(withLateFunctions(left), left)
    }
    assert.strictEqual(
      withLateFunctions("const c = () => function () { return this }\n"),
      "const c = function() { return (function () { return this }) }\n"
    )
  })

  it("changes nothing of what they give", () => {
    const code = `
      const object = () => ({ a: 1 })
      const sequence = () => (1, 2)
      const line = () =>
        // A reason.
        3
      const taken = ({ a = () => 4, b: [c] }, ...rest) => a() + c + rest.length
      const dual = (arity, body) => (...args) => args.length >= arity ? body(...args) : (self) => body(self, ...args)
      const add = dual(2, (self, that) => self + that)
      const named = () => {}
      JSON.stringify([object(), sequence(), line(), taken({ b: [5] }, 6), add(1, 2), add(2)(1), named.name])
    `
    const written = withLateFunctions(code)
    assert.strictEqual(vm.runInNewContext(written), vm.runInNewContext(code))
    assert.strictEqual((written.match(/=>/g) ?? []).length, 3)
  })

  it("says what it cannot read", () => {
    assert.throws(() => withLateFunctions("const = 1"), /a chunk cannot be read/)
  })
})

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
    for (const left of [
      "const a = /x/;\nconst f = (a) => a.b, g = a.test(1)\n",
      "const a = /x/;\nconst f = (t) => { const a = /y/; return a.test(t) }\n",
      "const a = /x/;\nconst f = { a }\n",
      "const a = /x/;\nexport { a }\n",
      "const a = /x/;\nconst f = { b: a }\n",
      "const a = /x/;\nconst f = (t) => a.test(t) || a.test(t + 1) || a.test(t + 2)\n",
      "let a = /x/;\nconst f = (t) => a.test(t)\n"
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
