import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { jsonLines, type MessageWire, WireBroken, webSocket } from "../../../src/providers/codex/messageWire.ts"

const text = (bytes: ReadonlyArray<Uint8Array>) => Buffer.concat(bytes).toString("latin1")

/** What a server would send: not masked. */
const serverFrame = (opcode: number, payload: Buffer, isLast = true): Buffer => {
  const first = (isLast ? 0x80 : 0) | opcode
  if (payload.length < 126) return Buffer.concat([Buffer.from([first, payload.length]), payload])
  if (payload.length < 65_536) {
    return Buffer.concat([Buffer.from([first, 126, payload.length >> 8, payload.length & 255]), payload])
  }
  const header = Buffer.alloc(10)
  header[0] = first
  header[1] = 127
  header.writeBigUInt64BE(BigInt(payload.length), 2)
  return Buffer.concat([header, payload])
}

/** The answer to the request of a client, as RFC 6455 wants it. */
const acceptance = (wire: MessageWire): Buffer => {
  const key = /Sec-WebSocket-Key: (\S+)/.exec(text(wire.opening))?.[1] ?? ""
  const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64")
  return Buffer.from(
    `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-accept: ${accept}\r\n\r\n`
  )
}

const newSocket = () => webSocket((bytes) => "5a".repeat(bytes))
const openSocket = () => {
  const wire = newSocket()
  wire.read(acceptance(wire))
  return wire
}

/** The text of a client's frame that is shorter than 126 bytes. */
const unmasked = (frame: Uint8Array): string =>
  Buffer.from(frame.subarray(6).map((byte, at) => byte ^ (frame[2 + (at & 3)] ?? 0))).toString("utf8")

const messages = ['{"a":1}', '{"text":"Ä€😀"}', `"${"x".repeat(300)}"`, `"${"y".repeat(70_000)}"`]

const wires = {
  "JSON lines": { open: jsonLines, bytes: messages.map((one) => Buffer.from(`${one}\n`)) },
  "a WebSocket": { open: openSocket, bytes: messages.map((one) => serverFrame(1, Buffer.from(one))) }
}

describe("messages of an app-server", () => {
  for (const [name, { open, bytes }] of Object.entries(wires)) {
    it(`come whole over ${name}, wherever the bytes are cut`, () => {
      const all = Buffer.concat(bytes)
      for (const size of [1, 7, 1024, all.length]) {
        const wire = open()
        const heard: Array<string> = []
        for (let at = 0; at < all.length; at += size) heard.push(...wire.read(all.subarray(at, at + size)).messages)
        assert.deepStrictEqual(heard, messages, `in pieces of ${size}`)
      }
    })
  }

  it("go out when the other side has opened the WebSocket, and not before", () => {
    const wire = newSocket()
    assert.deepStrictEqual(wire.write("early"), [])
    const answer = acceptance(wire)
    assert.deepStrictEqual(wire.read(answer.subarray(0, 20)).replies, [])
    assert.deepStrictEqual(wire.read(answer.subarray(20)).replies.map(unmasked), ["early"])
    assert.deepStrictEqual(wire.write("then").map(unmasked), ["then"])
  })

  it("are put together from fragments, and pings between them are answered", () => {
    const { messages: heard, replies } = openSocket().read(
      Buffer.concat([
        serverFrame(1, Buffer.from("one, "), false),
        serverFrame(9, Buffer.from("still there?")),
        serverFrame(0, Buffer.from("two"))
      ])
    )
    assert.deepStrictEqual(heard, ["one, two"])
    assert.deepStrictEqual(
      replies.map((reply) => [(reply[0] ?? 0) & 15, unmasked(reply)]),
      [[10, "still there?"]]
    )
  })

  it("are not expected from what is no WebSocket", () => {
    for (const answer of ["HTTP/1.1 404 Not Found\r\n\r\n", "HTTP/1.1 101 Yes\r\nsec-websocket-accept: x\r\n\r\n"]) {
      assert.throws(() => newSocket().read(Buffer.from(answer)), WireBroken)
    }
    assert.throws(() => newSocket().read(Buffer.alloc(20_000, "a")), WireBroken)
    assert.throws(() => openSocket().read(Buffer.from([0x81, 0xff, 1, 2, 3, 4])), WireBroken)
  })
})
