import * as fs from "node:fs"
import * as path from "node:path"

/** Payloads, whole sessions and transcripts of the real Claude Code, with ids and texts of a fake model. index.json says what is what. */
export const fixtures = path.join(import.meta.dirname, "../../fixtures/claude")

type Json = Record<string, unknown>

/** File name without extension (`PreToolUse-3`) and the payload in it. */
export const payloads: ReadonlyArray<readonly [string, Json]> = fs
  .readdirSync(fixtures)
  .filter((name) => /^[A-Z]\w+-\d+\.json$/.test(name))
  .sort()
  .map((name) => [name.slice(0, -5), JSON.parse(fs.readFileSync(path.join(fixtures, name), "utf8"))])

export const sequences: ReadonlyArray<string> = fs
  .readdirSync(path.join(fixtures, "sequences"))
  .sort()
  .map((name) => path.basename(name, ".jsonl"))

/** The payloads of one session in their order. */
export const sequence = (name: string): ReadonlyArray<Json> =>
  fs
    .readFileSync(path.join(fixtures, "sequences", `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line).payload)

/** One captured payload by name. */
export const payload = (name: string): Json => {
  const found = payloads.find(([given]) => given === name)
  if (found === undefined) throw new Error(`no fixture ${name}`)
  return found[1]
}
