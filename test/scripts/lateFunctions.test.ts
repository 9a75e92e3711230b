import * as vm from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import { withLateFunctions } from "../../scripts/lateFunctions.mjs"

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
