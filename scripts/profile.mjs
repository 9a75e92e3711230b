// Where the time goes (`npm run profile -- hook`): runs a part of lint-ai on Node under the CPU profiler, keeps the profile for a viewer of flame graphs (Chrome's
// DevTools, speedscope) and prints the functions that take most time themselves.
//
//   npm run profile -- hook                    a hook with a payload of 4 KiB, --runs times
//   npm run profile -- cli sessions list       any command
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { parseArgs } from "node:util"
import { toolResult } from "../bench/payloads.mjs"
import { buildWhenStale, modulesEntry, root } from "./build.mjs"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: {
    runs: { type: "string", default: "20" },
    top: { type: "string", default: "25" },
    out: { type: "string", default: path.join(root, ".cache", "profile") }
  }
})
const [what = "hook", ...args] = positionals
const [runs, top, out] = [Number(values.runs), Number(values.top), String(values.out)]
// Not dist/main.mjs, which runs from a code cache: that would hide what compiling costs.
const modules = path.join(await buildWhenStale(), modulesEntry)
const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "lint-ai-profile-")))
const project = path.join(directory, "project")
fs.mkdirSync(path.join(project, ".git"), { recursive: true })
fs.mkdirSync(path.join(directory, "home"))
fs.rmSync(out, { recursive: true, force: true })
fs.mkdirSync(out, { recursive: true })

/**
 * @param {ReadonlyArray<string>} command
 * @param {string | Buffer} [input]
 * @param {ReadonlyArray<string>} [flags] of Node
 */
const node = (command, input = "", flags = []) => {
  const env = { PATH: process.env.PATH ?? "", HOME: path.join(directory, "home"), CLAUDE_PROJECT_DIR: project }
  const place = what === "hook" ? { cwd: project, env } : { cwd: process.cwd(), env: process.env }
  return spawnSync(process.execPath, [...flags, ...command], { ...place, input, encoding: "utf8" })
}
const profiled = ["--cpu-prof", `--cpu-prof-dir=${out}`, "--cpu-prof-interval=100"]
try {
  if (what === "hook") {
    node([modules, "record", "start", "claude"])
    const payload = toolResult({ bytes: 4096, seed: 1, session: "profiled", cwd: project })
    for (let run = 0; run < runs; run++) node([modules, "hook", "claude"], payload(run), profiled)
  } else {
    for (let run = 0; run < Math.min(runs, 5); run++) node([modules, ...args], "", profiled)
  }
} finally {
  fs.rmSync(directory, { recursive: true, force: true })
}

/** @type {Map<string, number>} */
const selfMs = new Map()
let totalMs = 0
const files = fs.readdirSync(out).filter((name) => name.endsWith(".cpuprofile"))
for (const name of files) {
  /** @type {{ nodes: Array<{ id: number, callFrame: { functionName: string, url: string, lineNumber: number } }>, samples: Array<number>, timeDeltas: Array<number> }} */
  const profile = JSON.parse(fs.readFileSync(path.join(out, name), "utf8"))
  const frames = new Map(profile.nodes.map(({ id, callFrame }) => [id, callFrame]))
  for (const [at, id] of profile.samples.entries()) {
    const frame = frames.get(id)
    const ms = (profile.timeDeltas[at] ?? 0) / 1000
    totalMs += ms
    const place = frame === undefined ? "?" : `${path.basename(frame.url) || "(native)"}:${frame.lineNumber + 1}`
    const label = `${frame?.functionName || "(anonymous)"} ${place}`
    selfMs.set(label, (selfMs.get(label) ?? 0) + ms)
  }
}
if (files.length === 0) throw new Error("Nothing was profiled.")
console.log(
  `${files.length} runs, ${(totalMs / files.length).toFixed(1)} ms each under the profiler; profiles in ${out}\n`
)
console.log("self ms/run  share")
for (const [label, ms] of [...selfMs].sort((a, b) => b[1] - a[1]).slice(0, top)) {
  const each = ms / files.length
  console.log(`${each.toFixed(2).padStart(11)}  ${((100 * ms) / totalMs).toFixed(1).padStart(4)}%  ${label}`)
}
