/**
 * JSON with its numbers as text. The chain of AIR records covers how a number was written (`1.0` is not `1`) and integers of any size, both of
 * which a JavaScript number forgets.
 */

/** A number as its digits stand in the text, or `NaN`, `Infinity`, `-Infinity`, which Python reads and writes. */
export class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Objects are maps: a key may be `__proto__`, and of two equal keys the last one counts. */
export type JsonValue = null | boolean | string | JsonNumber | ReadonlyArray<JsonValue> | JsonObject
export type JsonObject = ReadonlyMap<string, JsonValue>

export const isJsonObject = (value: JsonValue | undefined): value is JsonObject => value instanceof Map

/** A whole number of JavaScript as a JSON number. */
export const whole = (value: number): JsonNumber => new JsonNumber(String(value))

/** Deeper nesting than this is refused: Python gives up near it, and a recursion must end. */
const deepest = 900

/**
 * Parses a JSON text as Python's json module does: strict strings, no byte order mark, nothing after the value. Undefined for what it refuses,
 * invalid UTF-8 included.
 */
export const parseJson = (bytes: Uint8Array): JsonValue | undefined => {
  let text: string
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
  try {
    return parseText(text)
  } catch (error) {
    if (error instanceof NotJson) return undefined
    throw error
  }
}

class NotJson extends Error {}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y
const spacePattern = /[ \t\n\r]*/y
const plainPattern = /[^"\\\u0000-\u001f]*/y
const words: ReadonlyArray<readonly [string, JsonValue]> = [
  ["null", null],
  ["true", true],
  ["false", false],
  ["NaN", new JsonNumber("NaN")],
  ["Infinity", new JsonNumber("Infinity")],
  ["-Infinity", new JsonNumber("-Infinity")]
]
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  "\\": "\\",
  "/": "/",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t"
}

const parseText = (text: string): JsonValue => {
  let at = 0
  const match = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0] ?? ""
    at += found.length
    return found
  }
  const space = () => match(spacePattern)
  const expect = (character: string): void => {
    if (text[at] !== character) throw new NotJson()
    at++
  }
  const string = (): string => {
    expect('"')
    let value = ""
    for (;;) {
      value += match(plainPattern)
      const next = text[at++]
      if (next === '"') return value
      if (next !== "\\") throw new NotJson()
      const kind = text[at++] ?? ""
      if (kind === "u") {
        const digits = text.slice(at, at + 4)
        if (!/^[0-9a-fA-F]{4}$/.test(digits)) throw new NotJson()
        value += String.fromCharCode(Number.parseInt(digits, 16))
        at += 4
      } else {
        const character = escapes[kind]
        if (character === undefined) throw new NotJson()
        value += character
      }
    }
  }
  const value = (depth: number): JsonValue => {
    if (depth > deepest) throw new NotJson()
    const first = text[at]
    if (first === '"') return string()
    if (first === "{") return object(depth)
    if (first === "[") return array(depth)
    const word = words.find(([name]) => text.startsWith(name, at))
    if (word !== undefined) {
      at += word[0].length
      return word[1]
    }
    const digits = match(numberPattern)
    if (digits === "") throw new NotJson()
    return new JsonNumber(digits)
  }
  const object = (depth: number): JsonValue => {
    const entries = new Map<string, JsonValue>()
    expect("{")
    space()
    if (text[at] === "}") {
      at++
      return entries
    }
    for (;;) {
      const key = string()
      space()
      expect(":")
      space()
      entries.set(key, value(depth + 1))
      space()
      if (text[at] === "}") {
        at++
        return entries
      }
      expect(",")
      space()
    }
  }
  const array = (depth: number): JsonValue => {
    const items: Array<JsonValue> = []
    expect("[")
    space()
    if (text[at] === "]") {
      at++
      return items
    }
    for (;;) {
      items.push(value(depth + 1))
      space()
      if (text[at] === "]") {
        at++
        return items
      }
      expect(",")
      space()
    }
  }
  space()
  const parsed = value(0)
  space()
  if (at !== text.length) throw new NotJson()
  return parsed
}

/** Where the writer puts white space. `spaced` is the canonical form of the chain, `compact` that of digests of bundles and heads. */
export type Separators = "spaced" | "compact"

/**
 * Python's `json.dumps(value, sort_keys=True)`: keys by code point, everything outside of printable ASCII escaped, integers as they were written,
 * floats as Python prints the double.
 */
export const canonicalJson = (value: JsonValue, separators: Separators = "spaced"): string => {
  const [comma, colon] = separators === "spaced" ? [", ", ": "] : [",", ":"]
  const write = (current: JsonValue): string => {
    if (current === null || typeof current === "boolean") return String(current)
    if (typeof current === "string") return asciiString(current)
    if (current instanceof JsonNumber) return pythonNumber(current.text)
    if (isJsonObject(current)) {
      const entries = [...current].sort(([left], [right]) => compareCodePoints(left, right))
      return `{${entries.map(([key, item]) => asciiString(key) + colon + write(item)).join(comma)}}`
    }
    return `[${(current as ReadonlyArray<JsonValue>).map(write).join(comma)}]`
  }
  return write(value)
}

/** The text of a file: two spaces of indent, keys in their order, numbers as they were written, no newline at the end. */
export const indentedJson = (value: JsonValue, indent = ""): string => {
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return value.length === 0
      ? "[]"
      : `[\n${value.map((item) => inner + indentedJson(item, inner)).join(",\n")}\n${indent}]`
  }
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => `${inner}${JSON.stringify(key)}: ${indentedJson(item, inner)}`)
    return entries.length === 0 ? "{}" : `{\n${entries.join(",\n")}\n${indent}}`
  }
  if (value instanceof JsonNumber) return value.text
  return JSON.stringify(value)
}

/** A plain value as a JSON value; its numbers must be whole. */
export const toJson = (value: unknown): JsonValue => {
  if (typeof value === "number") return whole(value)
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (value instanceof JsonNumber) return value
  if (Array.isArray(value)) return value.map(toJson)
  if (value instanceof Map) return value
  return new Map(
    Object.entries(value as object)
      .filter(([, item]) => item !== undefined)
      .map(([key, item]) => [key, toJson(item)])
  )
}

const shortEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\b": "\\b",
  "\f": "\\f",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t"
}

const asciiString = (text: string): string =>
  `"${text.replace(
    /["\\]|[^\x20-\x7e]/g,
    (character) => shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  )}"`

/** By code point, which is the order of UTF-8 bytes and not that of JavaScript's strings. */
export const compareCodePoints = (left: string, right: string): number => {
  let at = 0
  while (at < left.length && at < right.length) {
    const a = left.codePointAt(at) ?? 0
    const b = right.codePointAt(at) ?? 0
    if (a !== b) return a - b
    at += a > 0xffff ? 2 : 1
  }
  return left.length - right.length
}

/** A number as Python writes what it read. */
const pythonNumber = (text: string): string => {
  if (/^-?[0-9]+$/.test(text)) return text === "-0" ? "0" : text
  return pythonFloat(Number(text))
}

/** Python's repr of a double: the shortest digits that give it back, fixed between 1e-4 and 1e16, an exponent of two digits outside. */
export const pythonFloat = (value: number): string => {
  if (Number.isNaN(value)) return "NaN"
  if (!Number.isFinite(value)) return value < 0 ? "-Infinity" : "Infinity"
  const sign = value < 0 || Object.is(value, -0) ? "-" : ""
  const absolute = Math.abs(value)
  if (absolute === 0) return `${sign}0.0`
  // The digits of JavaScript are the same shortest ones: d[.ddd]e[+-]N.
  const [digits = "", power = "0"] = absolute.toExponential().split("e")
  const mantissa = digits.replace(".", "")
  const exponent = Number(power)
  if (exponent < -4 || exponent >= 16) {
    const fraction = mantissa.length === 1 ? "" : `.${mantissa.slice(1)}`
    return `${sign}${mantissa[0]}${fraction}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`
  }
  if (exponent < 0) return `${sign}0.${"0".repeat(-exponent - 1)}${mantissa}`
  const padded = mantissa.padEnd(exponent + 1, "0")
  const fraction = padded.slice(exponent + 1)
  return `${sign}${padded.slice(0, exponent + 1)}.${fraction === "" ? "0" : fraction}`
}
