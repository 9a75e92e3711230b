import * as path from "node:path"
import { assert, describe, it } from "vitest"
import { Host } from "../../src/platform/Host.ts"

/** The home directory that the program takes when the environment says this. */
const homeWhen = (told: string | undefined): string => {
  const before = process.env.HOME
  try {
    if (told === undefined) delete process.env.HOME
    else process.env.HOME = told
    const { home } = Host.make()
    assert.strictEqual(process.env.HOME, told)
    return home
  } finally {
    if (before === undefined) delete process.env.HOME
    else process.env.HOME = before
  }
}

describe("the home directory", () => {
  it("is what HOME says", () => assert.strictEqual(homeWhen("/home/dev"), "/home/dev"))

  it("is absolute, whatever HOME says", () => {
    for (const told of ["rel", "./x", "..", "~", "", undefined]) assert.isTrue(path.isAbsolute(homeWhen(told)), told)
  })
})
