import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"

/**
 * How a suite that has a short and a long form is run. The long forms (`npm run test:crash`, `test:fuzz`, `test:load`) set these; without them a
 * suite takes seconds, with a seed that is always the same: a fault that a new seed finds should not meet somebody who changed something else.
 */
const variable = (name: string): string | undefined => {
  const value = process.env[`LINT_AI_${name}`]
  return value === "" ? undefined : value
}

/** A whole number from the environment: how many kills, cases, events. */
export const sizeOf = (name: string, usual: number): number => {
  const given = Number(variable(name) ?? usual)
  if (!Number.isSafeInteger(given) || given < 0) throw new Error(`LINT_AI_${name} is no number`)
  return given
}

/** The seed of this run: a given one repeats what another run drew. */
export const seed: number = sizeOf("PROOF_SEED", 20_261_130)

/**
 * Keeps the figures of a suite for docs/proof.md, where the run is one whose figures are kept (scripts/proof.mjs names the directory), and says
 * them on the terminal either way.
 */
export const reportFigures = (name: string, figures: Readonly<Record<string, unknown>>): void => {
  console.log(`${name}: ${JSON.stringify({ seed, ...figures })}`)
  const directory = variable("PROOF_DIR")
  if (directory === undefined) return
  const file = path.join(directory, `${name}.json`)
  fs.mkdirSync(directory, { recursive: true })
  const date = new Date().toISOString()
  const machine = { platform: process.platform, arch: process.arch, processors: os.availableParallelism() }
  fs.writeFileSync(
    file,
    `${JSON.stringify({ date, node: process.version, machine, seed, ...figures }, undefined, 2)}\n`
  )
}
