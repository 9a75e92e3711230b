import { createHash } from "node:crypto"
import * as Data from "effect/Data"

/** What came in with some bytes: whole messages, and bytes to send back at once. */
export interface Heard {
  readonly messages: ReadonlyArray<string>
  readonly replies: ReadonlyArray<Uint8Array>
  /** The other side has said that it ends here. */
  readonly isOver: boolean
}

/** How messages become bytes on the way to an app-server and back. One of these serves one conversation. */
export interface MessageWire {
  /** To send before anything else. */
  readonly opening: ReadonlyArray<Uint8Array>
  /** The bytes of a message; none yet while the other side has not opened the conversation: they then come as replies. */
  readonly write: (message: string) => ReadonlyArray<Uint8Array>
  /** Takes the next bytes, wherever they are cut. Throws a WireBroken for what the protocol does not have. */
  readonly read: (bytes: Uint8Array) => Heard
  /** What may be sent at any time to see whether the other side is still there; undefined where that needs no asking. */
  readonly ping: (() => ReadonlyArray<Uint8Array>) | undefined
}

/** What came is not what was agreed on. */
export class WireBroken extends Data.TaggedError("WireBroken")<{ readonly problem: string }> {
  override get message(): string {
    return this.problem
  }
}

/** One message a line, as `codex app-server` speaks on stdin and stdout. */
export const jsonLines = (): MessageWire => {
  let parts: Array<Uint8Array> = []
  return {
    opening: [],
    write: (message) => [Buffer.from(`${message}\n`)],
    read: (bytes) => {
      const messages: Array<string> = []
      let start = 0
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        messages.push(Buffer.concat([...parts, bytes.subarray(start, end)]).toString("utf8"))
        parts = []
        start = end + 1
      }
      if (start < bytes.length) parts.push(bytes.slice(start))
      return { messages, replies: [], isOver: false }
    },
    ping: undefined
  }
}

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const
const acceptSuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
/** The largest message that is taken; Codex itself sends no unfragmented one above 16 MiB. */
const messageLimit = 64 * 1024 * 1024

/**
 * The client's side of a WebSocket (RFC 6455), one text message for each JSON message: this is what the control socket of a running
 * app-server speaks, and `codex app-server proxy` passes its bytes on unchanged (0.171.0). No extensions are offered.
 *
 * @param randomHex for the key and the masks
 */
export const webSocket = (randomHex: (bytes: number) => string): MessageWire => {
  const key = Buffer.from(randomHex(16), "hex").toString("base64")
  const request = [
    "GET / HTTP/1.1",
    "Host: localhost",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Key: ${key}`,
    "Sec-WebSocket-Version: 13",
    "",
    ""
  ].join("\r\n")
  let isOpen = false
  let held: Array<Uint8Array> = []
  let rest: Buffer = Buffer.alloc(0)
  let fragments: Array<Buffer> = []

  const frame = (opcode: number, payload: Buffer): Uint8Array => {
    const mask = Buffer.from(randomHex(4), "hex")
    const masked = Buffer.from(payload)
    for (let at = 0; at < masked.length; at++) masked[at] = (masked[at] ?? 0) ^ (mask[at & 3] ?? 0)
    return Buffer.concat([headerOf(opcode, payload.length), mask, masked])
  }

  const open = (): ReadonlyArray<Uint8Array> | undefined => {
    const end = rest.indexOf("\r\n\r\n")
    if (end < 0) {
      if (rest.length > 16_384) throw new WireBroken({ problem: "no WebSocket answered" })
      return undefined
    }
    const head = rest.subarray(0, end).toString("latin1")
    rest = rest.subarray(end + 4)
    const accept = /^sec-websocket-accept:\s*(\S+)\s*$/im.exec(head)?.[1]
    const wanted = createHash("sha1").update(`${key}${acceptSuffix}`).digest("base64")
    if (!/^HTTP\/1\.1 101 /.test(head) || accept !== wanted) throw new WireBroken({ problem: "no WebSocket answered" })
    isOpen = true
    const waiting = held
    held = []
    return waiting
  }

  return {
    opening: [Buffer.from(request)],
    write: (message) => {
      const bytes = frame(opcodes.text, Buffer.from(message))
      if (isOpen) return [bytes]
      held.push(bytes)
      return []
    },
    read: (bytes) => {
      rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes])
      const replies: Array<Uint8Array> = []
      if (!isOpen) {
        const waiting = open()
        if (waiting === undefined) return { messages: [], replies, isOver: false }
        replies.push(...waiting)
      }
      const messages: Array<string> = []
      let isOver = false
      for (let next = nextFrame(rest); next !== undefined; next = nextFrame(rest)) {
        rest = rest.subarray(next.end)
        if (next.opcode === opcodes.ping) replies.push(frame(opcodes.pong, next.payload))
        if (next.opcode === opcodes.close) {
          replies.push(frame(opcodes.close, next.payload))
          isOver = true
        }
        if (next.opcode > opcodes.binary) continue
        fragments.push(next.payload)
        if (!next.isLast) continue
        messages.push(Buffer.concat(fragments).toString("utf8"))
        fragments = []
      }
      return { messages, replies, isOver }
    },
    ping: () => (isOpen ? [frame(opcodes.ping, Buffer.alloc(0))] : [])
  }
}

const headerOf = (opcode: number, length: number): Buffer => {
  const size = length < 126 ? 2 : length < 65_536 ? 4 : 10
  const header = Buffer.alloc(size)
  header[0] = 0x80 | opcode
  header[1] = 0x80 | (size === 2 ? length : size === 4 ? 126 : 127)
  if (size === 4) header.writeUInt16BE(length, 2)
  if (size === 10) header.writeBigUInt64BE(BigInt(length), 2)
  return header
}

/** The frame at the beginning of some bytes; undefined when it is not whole. A server does not mask. */
const nextFrame = (bytes: Buffer) => {
  const [first, second] = [bytes[0], bytes[1]]
  if (first === undefined || second === undefined) return undefined
  if ((first & 0x70) !== 0 || (second & 0x80) !== 0) throw new WireBroken({ problem: "a WebSocket frame is wrong" })
  const short = second & 0x7f
  const start = short === 126 ? 4 : short === 127 ? 10 : 2
  if (bytes.length < start) return undefined
  const length = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short
  if (length > messageLimit) throw new WireBroken({ problem: "a message is too large" })
  const end = start + length
  if (bytes.length < end) return undefined
  return { opcode: first & 0x0f, isLast: (first & 0x80) !== 0, payload: bytes.subarray(start, end), end }
}
