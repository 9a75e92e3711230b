import type { Random } from "../support/seededRandom.ts"

/** Values that programs stumble over. */
const awkwardValues: ReadonlyArray<unknown> = [
  null,
  true,
  0,
  -1,
  1e308,
  Number.MAX_SAFE_INTEGER + 2,
  "",
  "\u0000",
  "\ud800",
  "__proto__",
  "constructor",
  "../../../etc/passwd",
  "/dev/zero",
  "a".repeat(70_000),
  "😀".repeat(3_000),
  "[REDACTED:token]",
  '{"schema_version":1,"sequence":',
  "9999-99-99T99:99:99.999Z",
  [],
  {},
  Array.from({ length: 300 }, (_, n) => n),
  { toString: 1, hasOwnProperty: null, constructor: "x", length: -5 },
  nested(200)
]

function nested(depth: number): unknown {
  return depth === 0 ? [] : { a: nested(depth - 1) }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A JSON value with one of its places changed: a value of another type, a field gone, doubled, renamed or moved. */
export const mutateJson = (value: unknown, random: Random, spice: ReadonlyArray<unknown> = []): unknown => {
  const all = [...awkwardValues, ...spice]
  if (Array.isArray(value) && value.length > 0 && !random.oneIn(4)) {
    const at = random.below(value.length)
    const copy: Array<unknown> = [...value]
    const change = random.below(4)
    if (change === 0) copy.splice(at, 1)
    else if (change === 1) copy.splice(at, 0, value[random.below(value.length)])
    else copy[at] = mutateJson(value[at], random, spice)
    return copy
  }
  if (isRecord(value) && Object.keys(value).length > 0 && !random.oneIn(6)) {
    const keys = Object.keys(value)
    const key = random.pick(keys)
    const { [key]: chosen, ...rest } = value
    if (random.oneIn(8)) return rest
    if (random.oneIn(8)) return { ...rest, [`${key}${random.pick(["", "_", "\u0000", "X"])}x`]: chosen }
    if (random.oneIn(8)) return { ...value, [random.pick(keys)]: chosen }
    // An own key of this name, as JSON.parse makes it.
    if (random.oneIn(12)) return JSON.parse(`{"__proto__":${JSON.stringify(chosen ?? null)}}`)
    return { ...value, [key]: mutateJson(chosen, random, spice) }
  }
  return random.pick(all)
}

/** Bytes of which some were changed, cut, repeated or moved. */
export const mutateBytes = (bytes: Buffer, random: Random): Buffer => {
  if (bytes.length === 0) return Buffer.from([random.below(256)])
  const at = random.below(bytes.length)
  const end = Math.min(bytes.length, at + 1 + random.below(random.oneIn(2) ? 8 : bytes.length))
  switch (random.below(7)) {
    case 0: {
      const copy = Buffer.from(bytes)
      copy[at] = (copy[at] ?? 0) ^ (1 << random.below(8))
      return copy
    }
    case 1:
      return bytes.subarray(0, at)
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(end)])
    case 3:
      return Buffer.concat([bytes.subarray(0, end), bytes.subarray(at)])
    case 4:
      return Buffer.concat([bytes.subarray(0, at), Buffer.alloc(1 + random.below(5_000)), bytes.subarray(end)])
    case 5:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([random.below(256), 0xff, 0xfe]), bytes.subarray(at)])
    default:
      return Buffer.concat([bytes.subarray(at, end), bytes, bytes.subarray(0, at)])
  }
}

/** A JSON text: of a value that was changed, or with its bytes changed, or both. */
export const mutateJsonText = (value: unknown, random: Random, spice?: ReadonlyArray<unknown>): Buffer => {
  let changed = value
  for (let times = random.below(4); times > 0; times--) changed = mutateJson(changed, random, spice)
  const text = Buffer.from(JSON.stringify(changed) ?? "")
  return random.oneIn(3) ? mutateBytes(text, random) : text
}
