import { assert, describe, it } from "@effect/vitest"
import * as Schema from "effect/Schema"
import { type Framing, frame, type Incoming, MessageReader } from "../../src/mcp/framing.ts"

const limit = 100

/** What a reader finds in bytes that come in pieces of the given size. */
const read = (bytes: Uint8Array | string, pieceSize = Number.POSITIVE_INFINITY): ReadonlyArray<Incoming> => {
  const all = Buffer.from(bytes as string)
  const reader = new MessageReader(limit)
  const found: Array<Incoming> = []
  for (let at = 0; at < all.length; at += pieceSize) found.push(...reader.push(all.subarray(at, at + pieceSize)))
  return [...found, ...reader.end()]
}

const message = (text: string, framing: Framing = "lines"): Incoming => ({ _tag: "Message", text, framing })

const cases: ReadonlyArray<[name: string, input: string, expected: ReadonlyArray<Incoming>]> = [
  ["lines", '{"a":1}\n{"b":2}\n', [message('{"a":1}'), message('{"b":2}')]],
  ["CRLF and blank lines", '\r\n{"a":1}\r\n\r\n \n{"b":2}\r\n', [message('{"a":1}'), message('{"b":2}')]],
  ["a last line without its end", '{"a":1}\n{"b":2}', [message('{"a":1}'), message('{"b":2}')]],
  ["no input", "", []],
  ["text that is no message", "hello: world\n{}\n", [message("hello: world"), message("{}")]],
  ["a header", 'Content-Length: 7\r\n\r\n{"a":1}', [message('{"a":1}', "headers")]],
  [
    "other headers, in small letters, with bare line ends",
    'content-type: application/json\ncontent-length:7\n\n{"a":1}',
    [message('{"a":1}', "headers")]
  ],
  [
    "both framings in turn",
    'Content-Length: 7\r\n\r\n{"a":1}{"b":2}\nContent-Length: 7\r\n\r\n{"c":3}\r\n{"d":4}\n',
    [message('{"a":1}', "headers"), message('{"b":2}'), message('{"c":3}', "headers"), message('{"d":4}')]
  ],
  ["a body with line breaks in it", 'Content-Length: 9\r\n\r\n{\n"a":1\n}', [message('{\n"a":1\n}', "headers")]],
  [
    "a header without a length",
    "Content-Type: x\r\n\r\n{}\n",
    [{ _tag: "Malformed", problem: "there is no Content-Length", framing: "headers" }, message("{}")]
  ],
  ...["-1", "1e3", "", "0x10", "99999999999999999999", "7 7"].map(
    (value): [string, string, ReadonlyArray<Incoming>] => [
      `the length "${value}"`,
      `Content-Length: ${value}\r\n\r\n{}\n`,
      [{ _tag: "Malformed", problem: "its Content-Length is not a length", framing: "headers" }, message("{}")]
    ]
  ),
  [
    "a length of 0",
    "Content-Length: 0\r\n\r\n{}\n",
    [{ _tag: "Malformed", problem: "the length is 0", framing: "headers" }, message("{}")]
  ],
  [
    "a header that is not closed",
    "Content-Length: 2\r\n{}\r\n{}\n",
    [
      { _tag: "Malformed", problem: "no blank line follows the header", framing: "headers" },
      message("{}"),
      message("{}")
    ]
  ],
  [
    "the end within a body",
    "Content-Length: 7\r\n\r\n{",
    [{ _tag: "Malformed", problem: "the input ended after 1 of 7 bytes", framing: "headers" }]
  ],
  [
    "a line over the limit",
    `${"x".repeat(101)}\n{}\n`,
    [{ _tag: "TooLarge", bytes: 101, framing: "lines" }, message("{}")]
  ],
  [
    "a body over the limit",
    `Content-Length: 101\r\n\r\n${"x".repeat(101)}{}\n`,
    [{ _tag: "TooLarge", bytes: 101, framing: "headers" }, message("{}")]
  ]
]

describe("the message reader", () => {
  it.each(cases)("reads %s, in pieces of any size", (_, input, expected) => {
    for (const size of [1, 2, 3, 7, 1000]) assert.deepStrictEqual(read(input, size), expected)
  })

  it.prop(
    "gives back what was framed, whatever the text, the framing and the pieces",
    [Schema.Array(Schema.Struct({ text: Schema.String, headers: Schema.Boolean })), Schema.Int],
    ([sent, seed]) => {
      const framed = sent
        .map(({ text, headers }) => ({
          text: JSON.stringify(Buffer.from(text, "utf8").toString("utf8")),
          framing: headers ? ("headers" as const) : ("lines" as const)
        }))
        .filter(({ text }) => Buffer.byteLength(text) <= limit)
      const bytes = Buffer.concat(framed.map(({ text, framing }) => frame(text, framing)))
      const found = read(bytes, 1 + (Math.abs(seed) % 17))
      assert.deepStrictEqual(
        found,
        framed.map(({ text, framing }) => message(text, framing))
      )
    },
    { arbitrary: { runs: 200 } }
  )
})
