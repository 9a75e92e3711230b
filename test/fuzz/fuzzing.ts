import * as fs from "node:fs"
import * as path from "node:path"
import { seed, sizeOf } from "../support/proofRun.ts"
import { type Random, seededRandom } from "../support/seededRandom.ts"

/** Cases of each target; `npm run test:fuzz` tries many times more. */
export const casesEach = sizeOf("FUZZ_CASES", 30)
/** No case is worth more. A hook would have been given up long before. */
const longestMs = 20_000

const corpus = path.join(import.meta.dirname, "corpus")
const fixtures = path.join(import.meta.dirname, "../fixtures")

/** Something that a target did with an input and must not do. */
export interface Finding {
  readonly target: string
  readonly problem: string
  /** The input, base64. */
  readonly input: string
}

/**
 * Gives a target all that its corpus holds, and then cases that a generator makes. An input that breaks it is kept: what `LINT_AI_PROOF_DIR` names
 * takes it, from where it goes into the corpus with its fix.
 *
 * @param target says what is wrong with what an input did; undefined when nothing is
 */
export const fuzz = async (
  name: string,
  make: (random: Random) => Buffer,
  target: (input: Buffer) => Promise<string | undefined> | string | undefined
): Promise<{ readonly cases: number; readonly slowestMs: number; readonly findings: ReadonlyArray<Finding> }> => {
  const random = seededRandom(seed)
  const kept = path.join(corpus, name)
  const known = fs.existsSync(kept) ? fs.readdirSync(kept).map((file) => fs.readFileSync(path.join(kept, file))) : []
  const findings: Array<Finding> = []
  let slowestMs = 0
  for (let number = 0; number < known.length + casesEach && findings.length < 5; number++) {
    const input = known[number] ?? make(random)
    const began = performance.now()
    let problem: string | undefined
    try {
      problem = await target(input)
    } catch (error) {
      problem = `threw ${error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error)}`
    }
    const took = performance.now() - began
    slowestMs = Math.max(slowestMs, took)
    if (took > longestMs) problem ??= `took ${Math.round(took)} ms`
    if (problem !== undefined) {
      findings.push({ target: name, problem, input: input.subarray(0, 20_000).toString("base64") })
    }
  }
  return { cases: known.length + casesEach, slowestMs: Math.round(slowestMs), findings }
}

/** JSON fixtures of a directory, by a pattern of their names. */
export const jsonFixtures = (directory: string, pattern: RegExp): ReadonlyArray<unknown> =>
  fs
    .readdirSync(path.join(fixtures, directory))
    .filter((name) => pattern.test(name))
    .map((name) => JSON.parse(fs.readFileSync(path.join(fixtures, directory, name), "utf8")))

export const fixtureBytes = (file: string): Buffer => fs.readFileSync(path.join(fixtures, file))

/** Paths of fixtures below a directory, relative to the fixtures. */
export const fixtureFiles = (directory: string, pattern: RegExp): ReadonlyArray<string> =>
  fs
    .readdirSync(path.join(fixtures, directory), { recursive: true, encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .map((name) => path.join(directory, name))
