import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { checkMessage, invalidParams, invalidRequest, parseError } from "../../src/mcp/envelope.ts"

const refused: ReadonlyArray<[text: string, code: number, id: string | number | null]> = [
  ["", parseError, null],
  ["garbage", parseError, null],
  ['{"jsonrpc":"2.0","id":1,', parseError, null],
  ["[".repeat(100_000), parseError, null],
  ["5", invalidRequest, null],
  ["null", invalidRequest, null],
  ['"text"', invalidRequest, null],
  ["[]", invalidRequest, null],
  ['[{"jsonrpc":"2.0","id":1,"method":"ping"}]', invalidRequest, null],
  ["{}", invalidRequest, null],
  ['{"jsonrpc":"2.0","id":1}', invalidRequest, 1],
  ['{"jsonrpc":"1.0","id":2,"method":"ping"}', invalidRequest, 2],
  ['{"id":"a","method":"ping"}', invalidRequest, "a"],
  ['{"jsonrpc":"2.0","id":3,"method":7}', invalidRequest, 3],
  ['{"jsonrpc":"2.0","id":4,"method":""}', invalidRequest, 4],
  ['{"jsonrpc":"2.0","id":null,"method":"ping"}', invalidRequest, null],
  ['{"jsonrpc":"2.0","id":{},"method":"ping"}', invalidRequest, null],
  ['{"jsonrpc":"2.0","id":5,"method":"ping","params":[1]}', invalidParams, 5],
  ['{"jsonrpc":"2.0","id":6,"method":"ping","params":"x"}', invalidParams, 6],
  ['{"jsonrpc":"2.0","id":6,"method":"ping","params":null}', invalidParams, 6],
  [`{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":${"[".repeat(500)}${"]".repeat(500)}}}`, invalidRequest, 7]
]

describe("checking a message", () => {
  it.each(refused)("refuses %s", (text, code, id) => {
    const checked = checkMessage(text)
    assert.deepInclude(checked, { _tag: "Refused", code, id })
  })

  it("takes requests and notifications, also behind a byte order mark", () => {
    assert.deepStrictEqual(checkMessage('\uFEFF{"jsonrpc":"2.0","id":1,"method":"ping"}'), {
      _tag: "Request",
      id: 1,
      method: "ping",
      message: { jsonrpc: "2.0", id: 1, method: "ping" }
    })
    assert.propertyVal(checkMessage('{"jsonrpc":"2.0","method":"notifications/initialized"}'), "_tag", "Notification")
  })

  it("leaves out members to which the layer behind it would give a meaning", () => {
    const checked = checkMessage(
      '{"jsonrpc":"2.0","id":1,"method":"ping","headers":"x","discard":true,"spanId":5,"traceId":{}}'
    )
    assert.deepStrictEqual(checked._tag === "Request" ? checked.message : undefined, {
      jsonrpc: "2.0",
      id: 1,
      method: "ping"
    })
  })

  it("does not count brackets within strings as nesting", () => {
    const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "x", params: { text: `\\"${"[".repeat(1000)}` } })
    assert.propertyVal(checkMessage(text), "_tag", "Request")
  })

  it("knows answers to questions that it never asked", () => {
    assert.deepStrictEqual(checkMessage('{"jsonrpc":"2.0","id":1,"result":{}}'), { _tag: "Answer" })
  })

  it.prop(
    "never throws and never repeats what it was given",
    [Schema.Json],
    ([value]) => {
      const secret = "sk-in-a-message"
      const checked = checkMessage(JSON.stringify([value, secret]))
      assert.notInclude(JSON.stringify(checked), secret)
      assert.isDefined(checkMessage(JSON.stringify(value) ?? "")._tag)
    },
    { arbitrary: { runs: 200 } }
  )
})
