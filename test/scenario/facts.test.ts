import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import type { Fact } from "../../src/domain/scenario.ts"
import { type Answer, judgeFacts, patternOf, plainText } from "../../src/scenario/facts.ts"
import { awkwardText } from "../support/arbitraries.ts"

const fact = (text: string, more: Partial<Fact> = {}): Fact => ({ id: "f", match_any: [text], ...more })
const whole = (text: string): Answer => ({ text, lacks: undefined })
const cut = (text: string): Answer => ({ text, lacks: "the recorded answer is cut" })
const expected = (text: string | Fact, answer: Answer | undefined) =>
  judgeFacts([typeof text === "string" ? fact(text) : text], [], answer)[0]?.verdict
const forbidden = (text: string | Fact, answer: Answer | undefined) =>
  judgeFacts([], [typeof text === "string" ? fact(text) : text], answer)[0]?.verdict

/** What is written, and an answer that says it. */
const said: ReadonlyArray<readonly [wanted: string, answer: string]> = [
  ["IndexStore", "It is the indexstore."],
  ["IndexStore", "It is the `IndexStore`."],
  ["the IndexStore", "It is **the\n  IndexStore**"],
  ["`IndexStore`", "it is IndexStore"],
  ["index_store", "the file index_store.ts"],
  ["first step second step", "1. first step\n2. second step"],
  ["a note of caution", "> a note\n> of caution"],
  ["see the docs now", "See [the docs](https://example.org/a_b) now"],
  ["https://example.org/a_b", "See [the docs](https://example.org/a_b) now"],
  ["> 3", "Answers > 3 are kept"],
  ['it\'s "here"', "It’s “here”"],
  ["1-2", "1–2"],
  ["caf\u00e9", "cafe\u0301"],
  ["straße", "STRASSE"],
  ["ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ"],
  ["fi", "ﬁ"],
  ["IndexStore", "Index\u200bSt\u00adore"],
  ["42", "４２"],
  ["__init__", "the method `__init__` of it"]
]

/** What is written, and an answer that says something else. */
const notSaid: ReadonlyArray<readonly [wanted: string, answer: string]> = [
  ["index_store", "the IndexStore"],
  ["IndexStore", "Index Store"],
  ["> 3", "3 of them"],
  ["**", "any answer"],
  ["cafe", "café"]
]

describe("a fact", () => {
  it.each(said)("%j is in %j", (wanted, answer) => {
    assert.strictEqual(expected(wanted, whole(answer)), "pass")
    assert.strictEqual(forbidden(wanted, whole(answer)), "fail")
  })

  it.each(notSaid)("%j is not in %j", (wanted, answer) => {
    assert.strictEqual(expected(wanted, whole(answer)), "fail")
    assert.strictEqual(forbidden(wanted, whole(answer)), "pass")
  })

  it("that is absent from a text that lacks something is unknown, and one that is there is known", () => {
    assert.strictEqual(expected("IndexStore", cut("It is the")), "unknown")
    assert.strictEqual(forbidden("IndexStore", cut("It is the")), "unknown")
    assert.strictEqual(expected("IndexStore", cut("It is the IndexStore and")), "pass")
    assert.strictEqual(forbidden("IndexStore", cut("It is the IndexStore and")), "fail")
  })

  it("is unknown where no answer was recorded, expected or forbidden", () => {
    for (const judged of judgeFacts([fact("a")], [fact("b", { id: "g" })], undefined)) {
      assert.deepInclude(judged, { verdict: "unknown", why: "no answer was recorded" })
    }
  })

  it("is there when one of its texts is", () => {
    assert.strictEqual(expected({ id: "f", match_any: ["absent", "present"] }, whole("It is present")), "pass")
  })

  it.prop(
    "is found in any text that holds it, whatever stands around it",
    { before: awkwardText(8), text: awkwardText(8), after: awkwardText(8) },
    ({ before, text, after }) => {
      if (plainText(text) === "") return
      // Between white space: what stands beside it could make it part of something else.
      assert.strictEqual(expected(text, whole(`${before} \n\n ${text} \n\n ${after}`)), "pass")
    }
  )

  it.prop(
    "expected and the same one forbidden never have the same verdict, unless both are unknown",
    { text: awkwardText(4), answer: awkwardText(12), lacks: Arbitrary.schema(Schema.Boolean) },
    ({ text, answer, lacks }) => {
      const given = lacks ? cut(answer) : whole(answer)
      const verdicts = [expected(text, given), forbidden(text, given)]
      assert.isTrue(verdicts[0] !== verdicts[1] || verdicts[0] === "unknown", verdicts.join())
      if (!lacks) assert.notInclude(verdicts, "unknown")
    }
  )

  it("says the same whatever its place among others", () => {
    const facts = ["alpha", "beta", "gamma"].map((text) => fact(text, { id: text }))
    const judged = judgeFacts(facts, [], whole("beta"))
    const turned = judgeFacts([...facts].reverse(), [], whole("beta"))
    assert.deepStrictEqual(judged, [...turned].reverse(), "no fact has the verdict of another")
    assert.deepStrictEqual(
      judged.map(({ verdict }) => verdict),
      ["fail", "pass", "fail"]
    )
  })
})

describe("a pattern", () => {
  const pattern = (source: string) => fact(source, { regex: true })

  it("is a regular expression only where the scenario says so", () => {
    assert.strictEqual(expected("src/\\w+", whole("src/store")), "fail")
    assert.strictEqual(expected(pattern("src/\\w+"), whole("see src/store")), "pass")
    assert.strictEqual(expected(pattern("^it is \\d+$"), whole("It is 42")), "pass")
    assert.strictEqual(expected(pattern("(?-i)IndexStore"), whole("indexstore")), "fail")
  })

  it("sees an answer as it was written, and without the marks of Markdown", () => {
    assert.strictEqual(expected(pattern("`[A-Z]\\w+`"), whole("the `Store`")), "pass")
    assert.strictEqual(expected(pattern("is the \\w+Store"), whole("is the **`IndexStore`**")), "pass")
  })

  it.each(["(a+)+$", "(a|a)*$", "(.*a){20}x", "a*a*a*a*a*a*a*b"])(
    "%s takes no longer than its answer is long",
    (source) => {
      // An engine that tries one way after another would not end.
      assert.strictEqual(expected(pattern(source.replace("$", "!")), whole("a".repeat(200_000))), "fail")
    }
  )

  it.each([
    ["(?=a)b", "is no regular expression that can be used"],
    ["(a)\\1", "is no regular expression that can be used"],
    ["(a{1,1000}){1,1000}", "is no regular expression that can be used"],
    ["(", "is no regular expression that can be used"],
    ["a*", "matches the empty text"],
    ["a".repeat(513), "is longer than 512 characters"]
  ])("%s is refused", (source, problem) => {
    const read = patternOf(source)
    assert.strictEqual(read._tag, "Refused")
    if (read._tag === "Refused") assert.include(read.problem, problem)
    assert.strictEqual(expected(pattern(source), whole("a a")), "fail", "and is in no answer")
  })
})
