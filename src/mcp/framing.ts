/**
 * How messages follow one another on stdin and stdout. `lines`: one JSON text per line, as the MCP specification has it. `headers`: each behind
 * a `Content-Length` header and a blank line, as the language server protocol and early MCP clients have it.
 */
export type Framing = "lines" | "headers"

/** What a reader takes out of the bytes. */
export type Incoming =
  | { readonly _tag: "Message"; readonly text: string; readonly framing: Framing }
  /** Larger than the limit: the bytes were dropped as they came. */
  | { readonly _tag: "TooLarge"; readonly bytes: number; readonly framing: Framing }
  /** A header that names no length, or the end of the input within a message of a known length. */
  | { readonly _tag: "Malformed"; readonly problem: string; readonly framing: "headers" }

/** One message as it goes to the wire. */
export const frame = (text: string, framing: Framing): Uint8Array => {
  const body = Buffer.from(text, "utf8")
  return framing === "lines"
    ? Buffer.concat([body, newline])
    : Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`, "latin1"), body])
}

const newline = Buffer.from("\n")
/** No client means a longer message: a header that says so is damaged. */
const mostBodyBytes = 1024 ** 3
const knownHeader = /^content-(length|type)\s*:/i

type State =
  | { readonly _tag: "Line" }
  | { readonly _tag: "Headers"; readonly length: number | undefined; readonly problem: string | undefined }
  | { readonly _tag: "Body"; readonly length: number }

/**
 * Takes messages out of bytes that come in pieces of any size. The client may change between the two framings at every message; CRLF, blank lines
 * and a last line without an end are fine. Holds no more than `limit` bytes of a message.
 */
export class MessageReader {
  readonly #limit: number
  #state: State = { _tag: "Line" }
  /** Pieces of the line or body that has begun, and how many bytes of it came, the dropped ones included. */
  #pieces: Array<Uint8Array> = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  push(chunk: Uint8Array): ReadonlyArray<Incoming> {
    const found: Array<Incoming> = []
    let rest = chunk
    while (rest.length > 0) {
      if (this.#state._tag === "Body") {
        const missing = this.#state.length - this.#size
        this.#keep(rest.subarray(0, missing))
        rest = rest.subarray(Math.min(missing, rest.length))
        if (this.#size === this.#state.length) found.push(this.#body())
        continue
      }
      const end = rest.indexOf(0x0a)
      this.#keep(end < 0 ? rest : rest.subarray(0, end))
      if (end < 0) break
      rest = rest.subarray(end + 1)
      found.push(...this.#line())
    }
    return found
  }

  /** What is left when the input has ended. */
  end(): ReadonlyArray<Incoming> {
    if (this.#state._tag === "Body") {
      const { length } = this.#state
      const problem = `the input ended after ${this.#size} of ${length} bytes`
      this.#take()
      this.#state = { _tag: "Line" }
      return [{ _tag: "Malformed", problem, framing: "headers" }]
    }
    return this.#line()
  }

  #keep(bytes: Uint8Array): void {
    const room = this.#limit - this.#size
    if (room > 0) this.#pieces.push(bytes.subarray(0, room))
    this.#size += bytes.length
  }

  #take(): { readonly text: string; readonly size: number } {
    const bytes = Buffer.concat(this.#pieces)
    const size = this.#size
    this.#pieces = []
    this.#size = 0
    return { text: bytes.toString("utf8"), size }
  }

  #body(): Incoming {
    const { text, size } = this.#take()
    this.#state = { _tag: "Line" }
    return size > this.#limit
      ? { _tag: "TooLarge", bytes: size, framing: "headers" }
      : { _tag: "Message", text, framing: "headers" }
  }

  #line(): ReadonlyArray<Incoming> {
    const { text, size } = this.#take()
    if (size > this.#limit) return [{ _tag: "TooLarge", bytes: size, framing: "lines" }]
    const line = text.replace(/\r$/, "")
    if (this.#state._tag === "Headers") return this.#header(line, this.#state)
    if (line.trim() === "") return []
    if (!knownHeader.test(line)) return [{ _tag: "Message", text: line, framing: "lines" }]
    this.#state = readHeader(line, { _tag: "Headers", length: undefined, problem: undefined })
    return []
  }

  #header(line: string, state: Extract<State, { _tag: "Headers" }>): ReadonlyArray<Incoming> {
    if (/^[A-Za-z][A-Za-z-]*\s*:/.test(line)) {
      this.#state = readHeader(line, state)
      return []
    }
    this.#state = { _tag: "Line" }
    const { length } = state
    const problem = state.problem ?? (length === undefined ? "there is no Content-Length" : undefined)
    if (line.trim() !== "") {
      // Another message where the blank line should be: this client is not lost, its header is.
      return [
        { _tag: "Malformed", problem: "no blank line follows the header", framing: "headers" },
        { _tag: "Message", text: line, framing: "lines" }
      ]
    }
    if (problem !== undefined || length === undefined) {
      return [{ _tag: "Malformed", problem: problem ?? "", framing: "headers" }]
    }
    if (length === 0) return [{ _tag: "Malformed", problem: "the length is 0", framing: "headers" }]
    this.#state = { _tag: "Body", length }
    return []
  }
}

const readHeader = (line: string, state: Extract<State, { _tag: "Headers" }>): Extract<State, { _tag: "Headers" }> => {
  const [, name = "", value = ""] = /^([^:]*?)\s*:\s*(.*?)\s*$/.exec(line) ?? []
  if (name.toLowerCase() !== "content-length") return state
  const length = /^\d{1,12}$/.test(value) ? Number(value) : undefined
  return length === undefined || length > mostBodyBytes
    ? { ...state, problem: "its Content-Length is not a length" }
    : { ...state, length }
}
