import type { Random } from "./random.ts"

const strings = [
  "",
  "a",
  "token",
  "password",
  "x=1",
  "Bearer ",
  "PATH=/bin",
  "\u0000",
  "\u001b[1m",
  "\ud800",
  "é",
  "密码",
  "://a:b@c",
  "-----BEGIN ",
  "[REDACTED:x]",
  "name",
  "value",
  "kind",
  "Secret",
  "data",
  "__proto__",
  "Cookie: a=b",
  '{"a":1}',
  "\\",
  '"'
]

const text = (random: Random): string => {
  let out = ""
  for (let parts = random.int(0, 4); parts > 0; parts--) {
    out += random.next() < 0.6 ? random.pick(strings) : random.of("abcXYZ019 _-=:/.\"'\\\n", random.int(0, 24))
  }
  return out
}

/** A JSON value of any shape, full of what the recognisers react to. */
export const randomJson = (random: Random, depth = 4): unknown => {
  const choice = random.int(0, depth <= 0 ? 5 : 9)
  if (choice <= 2) return text(random)
  if (choice === 3) return random.int(-5, 1_000_000)
  if (choice === 4) return random.pick([true, false, null])
  if (choice === 5) return random.next() * 1000
  if (choice <= 7) return Array.from({ length: random.int(0, 5) }, () => randomJson(random, depth - 1))
  const fields: Record<string, unknown> = {}
  for (let count = random.int(0, 5); count > 0; count--) {
    Object.defineProperty(fields, text(random), {
      value: randomJson(random, depth - 1),
      enumerable: true,
      configurable: true,
      writable: true
    })
  }
  return fields
}
