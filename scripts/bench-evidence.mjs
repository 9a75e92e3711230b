// What tamper evidence costs per event (`node scripts/bench-evidence.mjs`): chain, running checksum, anchor and the seals of checkpoint and manifest,
// against `node -e 0` in the same run. Rounds interleave; the ratio is the median of the ratios of the rounds. The floor is 0.03.
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { pathToFileURL } from "node:url"
import { rolldown } from "rolldown"
import { bareNode } from "../bench/bareNode.mjs"
import { root } from "./build.mjs"

const rounds = 40
const warmUps = 5
/** Events of one round: each is chained and anchored on its own, as a hook does it. */
const events = 20
const floor = 0.03

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-bench-")))
try {
  for (const name of Object.keys(process.env)) if (/^(LINT_AI_|XDG_|NODE_)/.test(name)) delete process.env[name]
  process.env.HOME = directory
  const file = path.join(directory, "evidence.mjs")
  const build = await rolldown({ input: path.join(root, "bench", "evidence.ts"), platform: "node", logLevel: "warn" })
  await build.write({ file, format: "esm", codeSplitting: false })
  await build.close()
  /** @type {typeof import("../bench/evidence.ts")} */
  const { evidenceOf } = await import(pathToFileURL(file).href)
  const once = evidenceOf(directory)

  /** @type {Array<number>} */
  const ratios = []
  /** @type {Array<number>} */
  const costs = []
  for (let round = -warmUps; round < rounds; round++) {
    const began = performance.now()
    spawnSync(bareNode.command, bareNode.args)
    const node = performance.now() - began
    const start = performance.now()
    for (let n = 0; n < events; n++) once(4096)
    const cost = (performance.now() - start) / events
    if (round < 0) continue
    costs.push(cost)
    ratios.push(cost / node)
  }
  /** @param {Array<number>} numbers */
  const median = (numbers) => numbers.sort((left, right) => left - right)[numbers.length >> 1] ?? Number.NaN
  const ratio = median(ratios)
  console.log(
    `chain and anchor: ${median(costs).toFixed(3)} ms per event of 4 KiB, ${ratio.toFixed(4)} of ${bareNode.name} (floor ${floor})`
  )
  process.exitCode = ratio <= floor ? 0 : 1
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}
