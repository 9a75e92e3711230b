import { assert, describe, it } from "@effect/vitest"
import { withExactNumbers } from "../../src/redaction/exactNumbers.ts"
import { defaultPolicy } from "../../src/redaction/policy.ts"
import { lineRedactor } from "../../src/redaction/report.ts"
import { makeRandom } from "./corpus/random.ts"

const redact = lineRedactor(defaultPolicy)

describe("numbers of a line that is redacted", () => {
  it.each([
    '{"id":12345678901234567890,"n":1.0,"z":-0,"big":1e400,"small":1E-7,"ok":12}',
    '[1.10,[2.0,{"a":3.00}],"1.0","#1.0"]',
    "12345678901234567890",
    '{"__proto__":1.0,"constructor":2.0}',
    '{"text":"a \\"quoted\\" 1.0","#":1.0,"##":"##1.0"}'
  ])("stay as they are written: %s", (line) => {
    assert.strictEqual(redact(line).text, line)
  })

  it("stay beside what goes", () => {
    const token = `ghp_${"a1B2".repeat(9)}`
    const line = `{"id":90071992547409931,"token":"${token}","pin":1.0,"list":[1.0,"${token}"]}`
    const { text } = redact(line)
    assert.notInclude(text, token)
    assert.include(text, '"id":90071992547409931')
    assert.include(text, "[1.0,")
    JSON.parse(text)
  })

  it("are no strings that look like what stands for them", () => {
    assert.strictEqual(redact('{"a":"\\u00231.0","n":1.0}').text, '{"a":"#1.0","n":1.0}')
  })

  it("stay beside a string of many megabytes", () => {
    const value = { text: 'x\\"'.repeat(4_000_000), n: 1 }
    const line = JSON.stringify(value).replace('"n":1', '"n":1.0')
    assert.isTrue(withExactNumbers(value, line) === line)
  })

  it("keep a line JSON with the same value, however it is written", () => {
    const random = makeRandom("exact-numbers")
    const number = () => random.pick(["1.0", "-0", "1e2", "12345678901234567890", "0.10", "7", "-3.5"])
    const value = (depth: number): string =>
      depth === 0 || random.int(0, 2) === 0
        ? random.pick([number(), '"#"', '"##1.0"', '"\\\\"', "null"])
        : random.pick([
            `[${value(depth - 1)},${value(depth - 1)}]`,
            `{"#":${value(depth - 1)},"a\\"b":${value(depth - 1)}}`
          ])
    for (let round = 0; round < 2_000; round++) {
      const line = value(4)
      assert.strictEqual(redact(line).text, line)
    }
  })
})
