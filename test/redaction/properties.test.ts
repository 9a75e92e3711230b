import { assert, describe, it } from "@effect/vitest"
import { unlimited } from "../../src/platform/Deadline.ts"
import { redactValue } from "../../src/redaction/redactValue.ts"
import { adversarialTexts } from "./corpus/adversarial.ts"
import { fragments } from "./corpus/fragments.ts"
import { innocentKinds } from "./corpus/innocent.ts"
import { keyedKinds } from "./corpus/keyed.ts"
import { innocentPayloads, payloadKinds } from "./corpus/payloads.ts"
import { alnum, makeRandom, type Random } from "./corpus/random.ts"
import { randomJson } from "./corpus/randomJson.ts"

const redact = (value: unknown): unknown => redactValue(value, "", { deadline: unlimited }).value

/** Lengths and nesting, without the leaves. A number may have become a marker. */
const shape = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(shape)
  if (typeof value === "object" && value !== null) return Object.values(value).map(shape)
  return typeof value === "string" || typeof value === "number" ? "leaf" : value
}

/** The value with a word more in one of its strings, at a blank or a line end. Undefined when it has no string. */
const withWord = (random: Random, value: unknown, word: string): unknown => {
  if (typeof value === "string") {
    const places = [0, value.length, ...[...value.matchAll(/\s/g)].map(({ index }) => index)]
    const at = random.pick(places)
    return `${value.slice(0, at)}${random.pick([" ", "\n"])}${word}${random.pick([" ", "\n"])}${value.slice(at)}`
  }
  if (typeof value !== "object" || value === null) return undefined
  const fields = Object.entries(value)
  for (let from = random.int(0, fields.length), tried = 0; tried < fields.length; tried++) {
    const [key, field] = fields[(from + tried) % fields.length] ?? ["", undefined]
    const changed = withWord(random, field, word)
    if (changed !== undefined)
      return Array.isArray(value) ? value.with(Number(key), changed) : { ...value, [key]: changed }
  }
  return undefined
}

describe("any JSON value", () => {
  it("keeps its shape, is the same after a second time, and never throws: 10,000 values", () => {
    const random = makeRandom("properties")
    for (let i = 0; i < 10_000; i++) {
      const value = randomJson(random)
      const once = redact(value)
      assert.deepStrictEqual(shape(once), shape(value))
      assert.deepStrictEqual(redact(once), once)
    }
  })

  it("is the same after a second time when names, signs, secrets and markers are strung together: 6,000 texts", () => {
    const random = makeRandom("fragments")
    for (let i = 0; i < 6_000; i++) {
      const text = fragments(random)
      const value = i % 3 === 0 ? JSON.stringify({ output: text }) : text
      const once = redact(value)
      assert.strictEqual(redact(once), once, JSON.stringify(value))
    }
  })

  it("holds no token afterwards, wherever it stood in what tools write around a text", () => {
    const lines = ["first word", "let x = 1", "", "a: b", "some more of it", "end"]
    const numbered = (sign: (line: number) => string) => (text: ReadonlyArray<string>) =>
      text.map((line, at) => sign(at + 1) + line).join("\n")
    const wholes: ReadonlyArray<(text: ReadonlyArray<string>) => unknown> = [
      ([first, second, third, fourth, ...rest]) =>
        `Command: ${first}\n${second}\n${third}\nDirectory: ${fourth}\nOutput: ${rest.join("\n")}\nExit Code: 0`,
      ([first, ...rest]) => `Command: ${first}\nOutput: ${rest.join("\n")}`,
      ([first, second, ...rest]) => `Command: ${first}\nOutput: a\nDirectory: ${second}\n${rest.join("\n")}`,
      numbered((line) => `${line}→`),
      numbered((line) => `${String(line).padStart(6)}\t`),
      numbered((line) => `src/app.ts:${line}:`),
      numbered(() => "2026-03-01T10:00:00.123Z INFO "),
      numbered(() => "> "),
      ([first, second, ...rest]) => `${first}\n${second}\n@@ -1,4 +1,4 @@ ${rest.join("\n+")}`,
      ([first, ...rest]) => `${first}\n*** Begin Patch\n*** Update File: ${rest.join("\n+")}\n*** End Patch`,
      (text) => JSON.stringify({ [text[0] ?? ""]: text.slice(1).join("\n"), b: ["x\ny", text.join("\n")] }),
      (text) => JSON.stringify({ a: JSON.stringify({ b: text.join("\n"), c: text.join("\t") }) }),
      (text) => JSON.stringify([{ cells: text.map((line) => `${line}\n`) }, text])
    ]
    const token = ["gh", "p_", "n3Kq8ZtX1vBc5LmR7wYd2PfH9sJa4GuE6iTo"].join("")
    for (const [number, whole] of wholes.entries())
      for (const at of lines.keys())
        for (const put of [() => token, (line: string) => `${token} ${line}`, (line: string) => `${line} ${token}`]) {
          const text = whole(lines.map((line, index) => (index === at ? put(line) : line)))
          assert.notInclude(String(redact(text)), token, `${number}: ${JSON.stringify(text)}`)
        }
  })

  it("holds no token afterwards, wherever one is put into the values of the corpus: 6,000 values", () => {
    const random = makeRandom("a word more")
    const templates = [
      ...[...innocentKinds, ...innocentPayloads].flatMap((kind) => kind.templates),
      ...[...payloadKinds, ...keyedKinds].flatMap((kind) =>
        kind.templates.map((draw) => (random: Random) => draw(random).value)
      )
    ]
    for (let i = 0; i < 6_000; i++) {
      const token = random.pick([
        () => `${"gh"}p_${random.of(alnum, 36)}`,
        () => `${"xo"}xb-${random.of("123456789", 12)}-${random.of("123456789", 12)}-${random.of(alnum, 24)}`,
        () => `${"AK"}IA${random.of("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16)}`
      ])()
      const value = withWord(random, random.pick(templates)(random), token)
      if (value !== undefined) assert.notInclude(JSON.stringify(redact(value)), token, JSON.stringify(value))
    }
  })

  it("leaves markers as they are, also where a longer secret would begin or end inside one", () => {
    for (const rule of ["github-token", "private-key", "password"])
      for (const text of [`postgres://[REDACTED:${rule}]@db/app`, `a=1&key=x[REDACTED:${rule}]Zq8Rk2Lm5Tw7Yb3N`]) {
        const once = String(redact(text))
        assert.include(once, `[REDACTED:${rule}]`)
        assert.notMatch(once, /\[REDACTED:[^\]]*\[/)
      }
  })

  it("ends on texts made to be slow, and gives the same twice", () => {
    for (const [name, text] of adversarialTexts(20_000)) {
      const once = redact(text)
      assert.strictEqual(redact(once), once, name)
    }
  })
})
