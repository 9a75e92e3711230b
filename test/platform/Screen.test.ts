import { assert, describe, it } from "@effect/vitest"
import { firstSize, isUnicode, wantsColors } from "../../src/platform/Screen.ts"

describe("a screen", () => {
  it("is coloured on a terminal, unless NO_COLOR is set, and wherever FORCE_COLOR says so", () => {
    assert.isTrue(wantsColors({}, true))
    assert.isFalse(wantsColors({}, false))
    assert.isFalse(wantsColors({ NO_COLOR: "1" }, true))
    assert.isTrue(wantsColors({ NO_COLOR: "" }, true))
    assert.isTrue(wantsColors({ FORCE_COLOR: "1" }, false))
    assert.isTrue(wantsColors({ FORCE_COLOR: "", NO_COLOR: "1" }, false))
    assert.isFalse(wantsColors({ FORCE_COLOR: "0" }, true))
    assert.isFalse(wantsColors({ FORCE_COLOR: "false" }, true))
  })

  it("has the character set that the locale names, the first of LC_ALL, LC_CTYPE and LANG", () => {
    for (const LANG of ["en_US.UTF-8", "C.UTF-8", "de_DE.utf8", "en_US", "ja_JP.UTF-8@x"]) {
      assert.isTrue(isUnicode({ LANG }), LANG)
    }
    for (const LANG of ["C", "POSIX", "de_DE.ISO-8859-1", "ja_JP.eucJP"]) assert.isFalse(isUnicode({ LANG }), LANG)
    assert.isTrue(isUnicode({}))
    assert.isFalse(isUnicode({ LC_ALL: "C", LANG: "en_US.UTF-8" }))
    assert.isTrue(isUnicode({ LC_ALL: "", LC_CTYPE: "C.UTF-8", LANG: "C" }))
  })

  it("has the size that COLUMNS names, else the terminal's, unless that says 0", () => {
    assert.strictEqual(firstSize(Number("40"), 100, undefined), 40)
    assert.strictEqual(firstSize(Number(undefined), 0, 100), 100)
    assert.strictEqual(firstSize(Number("wide"), 120, undefined), 120)
    assert.isUndefined(firstSize(Number(""), 0, undefined))
  })
})
