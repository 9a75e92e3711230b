import { assert, describe, it } from "@effect/vitest"
import {
  candidatesIn,
  candidatesInText,
  failure,
  mostErrorCharacters
} from "../../../src/memory/extraction/contract.ts"
import { fixture } from "./fixtures.ts"

describe("what an agent may answer", () => {
  const cases =
    fixture<Record<string, { readonly stdout: string; readonly strict: ReadonlyArray<unknown> | null }>>("parse.json")

  for (const [name, { stdout, strict }] of Object.entries(cases)) {
    it(`${name} gives ${strict === null ? "a failure" : `${strict.length} candidates`}`, () => {
      assert.deepStrictEqual(candidatesInText(stdout) ?? null, strict)
    })
  }

  it("one bad candidate rejects the whole reply", () => {
    const good = { kind: "decision", title: "t", body: "b", tags: ["x"] }
    assert.deepStrictEqual(candidatesIn({ candidates: [good] }), [good as never])
    for (const bad of [
      { kind: "Decision" },
      { title: "\n" },
      { body: "" },
      { tags: "x" },
      { tags: [null] },
      { id: "7" }
    ]) {
      assert.isUndefined(candidatesIn({ candidates: [good, { ...good, ...bad }] }), JSON.stringify(bad))
    }
  })
})

describe("a failure", () => {
  const of = (error: string) =>
    failure({ reason: "extractor-failed", host: "claude", runtime: "claude", code: 1, error }).error

  it("is told in at most 500 characters, cut between two of them", () => {
    assert.strictEqual(of("x".repeat(600)).length, mostErrorCharacters)
    assert.strictEqual(Array.from(of("😀".repeat(600))).length, mostErrorCharacters)
  })

  it("says so when there is nothing to tell", () => assert.strictEqual(of(" \n"), "the agent said nothing about it"))
})
