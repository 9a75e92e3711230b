import * as fs from "node:fs"
import * as path from "node:path"

/** Payloads, sessions and rollouts of the real Codex 0.171.0, with ids and texts of a fake model. index.json says what is what. */
export const fixtures = path.join(import.meta.dirname, "../../fixtures/codex")

type Json = Record<string, unknown>

/** File name without extension (`pre-tool-use-3`) and the payload in it. */
export const payloads: ReadonlyArray<readonly [string, Json]> = fs
  .readdirSync(fixtures)
  .filter((name) => /^[a-z-]+-\d+\.json$/.test(name))
  .sort()
  .map((name) => [name.slice(0, -5), JSON.parse(fs.readFileSync(path.join(fixtures, name), "utf8"))])

/** One captured payload by name. */
export const payload = (name: string): Json => {
  const found = payloads.find(([given]) => given === name)
  if (found === undefined) throw new Error(`no fixture ${name}`)
  return found[1]
}

/** A hook delivery of a session, and how many lines the rollout that it is read with had at that moment. */
export interface Moment {
  readonly lines: number
  readonly payload: Json
}

export const sequences: ReadonlyArray<string> = fs
  .readdirSync(path.join(fixtures, "sequences"))
  .sort()
  .map((name) => path.basename(name, ".jsonl"))

/** The deliveries of one session in their order. */
export const sequence = (name: string): ReadonlyArray<Moment> =>
  fs
    .readFileSync(path.join(fixtures, "sequences", `${name}.jsonl`), "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** The lines of a captured rollout, each with its newline. */
export const rolloutLines = (name: string): ReadonlyArray<string> =>
  fs
    .readFileSync(path.join(fixtures, "rollouts", name), "utf8")
    .split(/(?<=\n)/)
    .filter((line) => line !== "")
