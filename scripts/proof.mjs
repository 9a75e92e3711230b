// The promises as figures (`npm run proof`): runs the suites in their long forms, keeps what they measured below bench/proof, and writes docs/proof.md from it.
//
//   node scripts/proof.mjs                     every suite, one after the other (an hour on two quiet processors), then the page
//   node scripts/proof.mjs crash fuzz ...      these: crash, fuzz, security, load, audit, bench
//   node scripts/proof.mjs --page              writes the page from the last runs
//   --seed N repeats a run; --kills N, --cases N change how much is tried
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { root } from "./build.mjs"
import { proofPage } from "./proofPage.mjs"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    page: { type: "boolean", default: false },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    kills: { type: "string", default: "10000" },
    cases: { type: "string", default: "2000" }
  }
})
const kept = path.join(root, "bench", "proof")
const vitest = (/** @type {ReadonlyArray<string>} */ ...args) => [
  process.execPath,
  path.join(root, "node_modules", "vitest", "vitest.mjs"),
  "run",
  ...args
]

/** @type {Readonly<Record<string, { readonly commands: ReadonlyArray<ReadonlyArray<string>>, readonly env?: Readonly<Record<string, string>> }>>} */
const suites = {
  crash: {
    commands: [vitest("test/crash")],
    env: {
      LINT_AI_CRASH_KILLS: values.kills,
      LINT_AI_CRASH_PROJECTS: "4",
      LINT_AI_CRASH_POINTS: String(Math.ceil(Number(values.kills) / 10)),
      LINT_AI_CRASH_COMMAND_KILLS: String(Math.ceil(Number(values.kills) / 50)),
      LINT_AI_CRASH_REPLAY_KILLS: String(Math.ceil(Number(values.kills) / 10)),
      LINT_AI_CRASH_MEMORY_KILLS: String(Math.ceil(Number(values.kills) / 50))
    }
  },
  fuzz: { commands: [vitest("test/fuzz")], env: { LINT_AI_FUZZ_CASES: values.cases } },
  security: { commands: [vitest("test/security")] },
  load: { commands: [vitest("--config", "vitest.load.config.ts")] },
  audit: { commands: [[process.execPath, path.join(root, "scripts", "audit.mjs")]] },
  bench: {
    commands: [
      [
        process.execPath,
        path.join(root, "scripts", "bench.mjs"),
        "--slack",
        "2",
        "--rounds",
        "20",
        "--out",
        path.join(kept, "hooks.json")
      ],
      [process.execPath, path.join(root, "scripts", "bench-commands.mjs"), "--out", path.join(kept, "commands.json")]
    ]
  }
}

const wanted = values.page ? [] : positionals.length === 0 ? Object.keys(suites) : positionals
fs.mkdirSync(kept, { recursive: true })
let failed = false
for (const name of wanted) {
  const suite = suites[name]
  if (suite === undefined) throw new Error(`There is no suite ${name}; there are ${Object.keys(suites).join(", ")}.`)
  const began = performance.now()
  console.log(`\n=== ${name}, seed ${values.seed}`)
  const codes = suite.commands.map(([command = "", ...args]) => {
    const env = { ...process.env, ...suite.env, LINT_AI_PROOF_DIR: kept, LINT_AI_PROOF_SEED: values.seed }
    return spawnSync(command, args, { cwd: root, env, stdio: "inherit" }).status
  })
  const passed = codes.every((code) => code === 0)
  failed ||= !passed
  const run = {
    date: new Date().toISOString(),
    command: `npm run ${name === "bench" ? "bench:all" : name === "audit" ? "audit" : `test:${name}`} -- --seed ${values.seed}`,
    seed: Number(values.seed),
    passed,
    seconds: Math.round((performance.now() - began) / 1000),
    machine: {
      platform: process.platform,
      arch: process.arch,
      processors: os.availableParallelism(),
      memory_gib: Math.round(os.totalmem() / 2 ** 30),
      node: process.version,
      load_average: Math.round((os.loadavg()[0] ?? 0) * 10) / 10
    }
  }
  fs.writeFileSync(path.join(kept, `${name}.run.json`), `${JSON.stringify(run, undefined, 2)}\n`)
}
fs.writeFileSync(path.join(root, "docs", "proof.md"), proofPage(kept))
console.log("docs/proof.md is written.")
process.exitCode = failed ? 1 : 0
