import { innocentKinds } from "./innocent.ts"
import { makeRandom } from "./random.ts"

const words = (
  "the of and a to in is for that with it as on be this from by or are an at not have was which one we can all will file test line function value type " +
  "error build server request response client user data change commit branch release package module import export const return async await class string number " +
  "config option output input path directory process command result check update remove add create read write parse render handle event stream buffer queue"
).split(" ")

/** Kinds that are written to come close to every form. They are no part of it: what costs are measured on stays what agents meet. */
const close: ReadonlySet<string> = new Set([
  "near-secrets",
  "members-and-flags",
  "line-starts",
  "forms-and-templates",
  "labels-and-routes",
  "names-with-digests",
  "minified-and-constants",
  "typed-elsewhere"
])

/** Text as agents meet it: mostly code, logs and prose, now and then something that looks like a secret and is none. At least `length` characters. */
export const ordinaryText = (seed: string, length: number): string => {
  const random = makeRandom(seed)
  const sentence = (count: number): string => Array.from({ length: count }, () => random.pick(words)).join(" ")
  const camel = (): string => random.pick(words) + random.pick(words).replace(/^./, (letter) => letter.toUpperCase())
  const shapes: ReadonlyArray<() => string> = [
    () => `${sentence(12)}. ${sentence(9)}.`,
    () =>
      `  const ${camel()} = await ${camel()}(${random.pick(words)}, { ${random.pick(words)}: ${random.int(0, 99)} })`,
    () => `import { ${camel()} } from "./${random.pick(words)}/${camel()}.ts"`,
    () =>
      `2026-03-0${random.int(1, 9)}T10:${random.int(10, 59)}:00.123Z INFO  [${random.pick(words)}] ${sentence(7)} in ${random.int(1, 900)}ms`,
    () => `src/${random.pick(words)}/${camel()}.ts:${random.int(1, 400)}:${random.int(1, 80)}: ${sentence(5)}`,
    () => `  ✓ ${sentence(6)} (${random.int(1, 40)} ms)`,
    () => `    if (${camel()} === undefined) return ${camel()}.${random.pick(words)}(${random.int(0, 9)})`,
    () => `-rw-r--r--  1 me staff  ${random.int(100, 99999)} May  4 10:00 ${random.pick(words)}.ts`,
    () => `| ${sentence(2)} | ${sentence(4)} | ${random.int(1, 99)} |`,
    () => `}`
  ]
  const odd = innocentKinds.flatMap(({ kind, templates }) => (close.has(kind) ? [] : templates))
  let text = ""
  for (let lines = 0; text.length < length; lines++) {
    if (lines % 40 === 39) {
      const value = random.pick(odd)(random)
      text += `${typeof value === "string" ? value : JSON.stringify(value)}\n`
    } else text += `${random.pick(shapes)()}\n`
  }
  return text.slice(0, length)
}
