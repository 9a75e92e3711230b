import { assert, describe, it } from "@effect/vitest"
import { porterStem } from "../../src/memory/porterStem.ts"
import { termsOf, wordsBehind } from "../../src/memory/terms.ts"
import { requestTerms } from "../../src/memory/words.ts"

describe("terms", () => {
  const holds: ReadonlyArray<readonly [text: string, terms: string]> = [
    ["getUserId", "user id get_user_id"],
    ["get_user_id", "user id get_user_id"],
    ["GET-USER-ID", "user id get_user_id"],
    ["parseURLFor", "pars url parse_url_for"],
    ["src/archive/hashChain.ts", "src archiv hash chain ts src_archive_hash_chain_ts hash_chain_ts"],
    ["C:\\work\\hashChain.ts", "c work hash chain ts work_hash_chain_ts hash_chain_ts"],
    ["std::sync::Mutex", "std sync mutex std_sync_mutex"],
    ["it went wrong while he was running children", "go wrong run child"],
    ["the broken build", "break build"],
    ["TS2345 and E0382", "ts2345 e0382"],
    ["naïve cafés", "naiv cafe"],
    ["John's doesn't", "john"],
    ["", ""],
    ["... --- !!!", ""]
  ]
  for (const [text, terms] of holds) {
    it(`of ${JSON.stringify(text)} are ${JSON.stringify(terms)}`, () => {
      assert.strictEqual(termsOf(text).join(" "), terms)
    })
  }

  it("of a script without spaces are pairs, and single characters for the index only", () => {
    assert.deepStrictEqual(termsOf("東京API", "query"), ["東京", "api"])
    assert.deepStrictEqual(termsOf("東京API"), ["東", "京", "東京", "api"])
    assert.deepStrictEqual(termsOf("猫", "query"), ["猫"])
  })

  it("hold nothing that the index would cut apart", () => {
    const text = "a.b/c-d_e 東京タワー x::y ñandú \u0000 “quotes” 12.5% 🙂 µs ½ ﬁle"
    for (const term of termsOf(text)) assert.match(term, /^[\p{L}\p{N}_]+$/u)
  })
})

it("the terms of any request are terms", () => {
  for (const term of requestTerms) assert.match(term, /^[a-z]+$/)
  for (const word of ["helped", "checking", "written", "removed", "question"])
    assert.isTrue(requestTerms.has(termsOf(word)[0] ?? ""))
})

describe("the words behind terms", () => {
  const question = "Why did deploying the getUserId queue, and retries, break src/lib/hashChain.ts?"

  it("are those of the question, as they were written, in which the terms were found", () => {
    assert.deepStrictEqual(wordsBehind(question, ["deploi", "retri"]), ["deploying", "retries,"])
    assert.deepStrictEqual(wordsBehind(question, ["get_user_id"]), ["getUserId"])
    assert.deepStrictEqual(wordsBehind(question, ["hash_chain_ts"]), ["src/lib/hashChain.ts?"])
    assert.deepStrictEqual(wordsBehind("queue queue", ["queue"]), ["queue"])
  })

  it("are found for every term of a question", () => {
    for (const term of termsOf(question, "query")) assert.isAbove(wordsBehind(question, [term]).length, 0, term)
  })
})

describe("the stem", () => {
  // From the paper, and the words on which stemmers differ.
  const stems: ReadonlyArray<readonly [word: string, stem: string]> = [
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["agreed", "agre"],
    ["plastered", "plaster"],
    ["hopping", "hop"],
    ["filing", "file"],
    ["conflated", "conflat"],
    ["happy", "happi"],
    ["relational", "relat"],
    ["generalizations", "gener"],
    ["adoption", "adopt"],
    ["controlling", "control"],
    ["rolls", "roll"],
    ["sky", "sky"],
    ["is", "is"]
  ]
  for (const [word, stem] of stems) {
    it(`of ${word} is ${stem}`, () => {
      assert.strictEqual(porterStem(word), stem)
    })
  }
})
