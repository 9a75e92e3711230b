// Measures the redaction engine: what it finds, what it harms, what it costs. Fails when a floor is missed.
//
//   npm run bench:redaction            prints the table
//   npm run bench:redaction -- --write also writes the figures into docs/redaction.md
//   npm run bench:redaction -- --slack 2   judges twice the floors of speed: for machines whose load others decide
//
// Costs are ratios to `node -e 0` in the same run, because machines differ and this one is shared.

import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { rolldown } from "rolldown"
import { bareNode } from "../bench/bareNode.mjs"
import { stopwatch } from "../bench/stopwatch.mjs"
import { inAscii } from "./build.mjs"
import { lateFunctions } from "./lateFunctions.mjs"
import { latePatterns } from "./latePatterns.mjs"

const options = parseArgs({
  options: { slack: { type: "string", default: "1" }, write: { type: "boolean", default: false } }
}).values
const root = resolve(fileURLToPath(import.meta.url), "../..")
const work = mkdtempSync(join(tmpdir(), "lint-ai-bench-redaction-"))
const rounds = 15

/** @typedef {any} Tools what the bundle of engine and corpus exports */

/** @type {(name: string, source: string, format: "esm" | "cjs") => Promise<string>} */
const bundle = async (name, source, format) => {
  const input = join(work, `${name}.entry.ts`)
  writeFileSync(input, source.replaceAll("@/", `${root}/`))
  // As the build bundles it.
  const built = await rolldown({
    input,
    platform: "node",
    resolve: { modules: [join(root, "node_modules")] },
    plugins: [latePatterns(), lateFunctions()]
  })
  const file = join(work, `${name}.${format === "esm" ? "mjs" : "cjs"}`)
  await built.write({ file, format, minify: true })
  await built.close()
  return file
}

const environment = { ...process.env }
// Loading extra certificates costs every child some milliseconds that have nothing to do with it.
delete environment.NODE_EXTRA_CA_CERTS

/** @type {(values: ReadonlyArray<number>) => number} */
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
/** @type {(args: ReadonlyArray<string>) => import("node:child_process").SpawnSyncReturns<string>} */
const run = (args) => spawnSync(process.execPath, args, { env: environment, encoding: "utf8" })

/** @type {Array<[name: string, value: string, limit: string, state: string]>} */
const rows = []
let missed = 0
/** @type {(name: string, value: number, limit: number, atLeast: boolean, show?: (number: number) => string) => void} */
const floor = (name, value, limit, atLeast, show = (number) => number.toFixed(2)) => {
  const ok = atLeast ? value >= limit : value <= limit
  if (!ok) missed++
  rows.push([name, show(value), `${atLeast ? ">=" : "<="} ${show(limit)}`, ok ? "" : "MISSED"])
}
/** So many times a floor of speed is judged; one that is missed is shown all the same. */
const slack = Number(options.slack)
if (!(slack >= 1)) throw new Error("--slack is 1 or more")
/** @type {(name: string, value: number, limit: number) => void} */
const speed = (name, value, limit) => {
  const before = missed
  floor(name, value, limit, false)
  if (value <= limit * slack) missed = before
}
/** @type {(name: string, value: string) => void} */
const fact = (name, value) => rows.push([name, value, "", ""])
/** @type {(share: number) => string} */
const percent = (share) => `${(share * 100).toFixed(2)} %`

/** @type {(tools: Tools) => Set<string>} */
const quality = (tools) => {
  const seeds = Array.from({ length: 3 }, () => Math.random().toString(36).slice(2, 10))
  /** @type {Record<"self" | "keyed" | "prose" | "innocent" | "lines", [number, number]>} */
  const sum = { self: [0, 0], keyed: [0, 0], prose: [0, 0], innocent: [0, 0], lines: [0, 0] }
  /** @type {(into: [number, number], from: readonly [number, number]) => void} */
  const add = (into, [hit, of]) => {
    into[0] += hit
    into[1] += of
  }
  let unstable = 0
  /** @type {Set<string>} */
  const kinds = new Set()
  for (const seed of seeds) {
    const corpus = tools.drawCorpus(seed, { perToken: 3, perTemplate: 6, perInnocent: 12 })
    const score = tools.scoreCorpus(corpus, tools.redact)
    add(sum.self, score.found.self)
    add(sum.keyed, score.found.keyed)
    add(sum.prose, score.found.prose)
    add(sum.innocent, score.innocentChanged)
    add(sum.lines, score.linesChanged)
    for (const row of score.misses) kinds.add(`missed ${row.kind}`)
    for (const [row] of score.alarms) kinds.add(`changed ${row.kind}`)
    for (const row of corpus) {
      const once = tools.redact(row.value)
      if (JSON.stringify(tools.redact(once)) !== JSON.stringify(once)) unstable++
    }
  }
  /** @type {(counts: readonly [number, number]) => number} */
  const share = ([hit, of]) => hit / of
  fact("seeds", seeds.join(" "))
  fact(
    "rows",
    String(
      Object.values(sum)
        .slice(0, 4)
        .reduce((total, [, of]) => total + of, 0)
    )
  )
  floor("self-identifying found", share(sum.self), 0.99, true, percent)
  floor("keyed found", share(sum.keyed), 0.97, true, percent)
  fact("prose only found", percent(share(sum.prose)))
  floor("innocent texts changed", share(sum.innocent), 0.003, false, percent)
  floor("innocent lines beside a secret changed", share(sum.lines), 0.003, false, percent)
  floor("rows that a second redaction changes", unstable, 0, false, String)
  return kinds
}

/** @type {(tools: Tools) => void} */
const stability = (tools) => {
  const random = tools.makeRandom(String(Math.random()))
  let unstable = 0
  let thrown = 0
  for (let i = 0; i < 10_000; i++) {
    try {
      const once = tools.redact(tools.randomJson(random))
      if (JSON.stringify(tools.redact(once)) !== JSON.stringify(once)) unstable++
    } catch {
      thrown++
    }
  }
  floor("of 10,000 random values changed twice", unstable, 0, false, String)
  floor("of 10,000 random values thrown on", thrown, 0, false, String)
}

/**
 * Real text: the sources and documents that are installed here, in pieces of 4 KB as agents read them.
 *
 * @type {(tools: Tools) => void}
 */
const realText = (tools) => {
  let leaves = 0
  let changed = 0
  /** @type {(path: string) => void} */
  const read = (path) => {
    try {
      const text = readFileSync(join(root, "node_modules", path), "utf8")
      for (let at = 0; at < text.length; at += 4096) {
        const leaf = text.slice(at, at + 4096)
        leaves++
        if (tools.redact(leaf) !== leaf) changed++
      }
    } catch {
      // Not installed here.
    }
  }
  const list = spawnSync(
    "find",
    [
      join(root, "node_modules"),
      "-maxdepth",
      "4",
      "-type",
      "f",
      "(",
      "-name",
      "*.md",
      "-o",
      "-name",
      "*.js",
      "-o",
      "-name",
      "*.d.ts",
      ")",
      "-size",
      "-200k"
    ],
    {
      encoding: "utf8",
      maxBuffer: 64 * 1024 * 1024
    }
  )
  const files = list.stdout
    .split("\n")
    .filter((file) => file !== "" && !/secretlint/.test(file))
    .sort()
  for (let i = 0; i < files.length && leaves < 6000; i += Math.max(1, Math.floor(files.length / 1500)))
    read((files[i] ?? "").slice(join(root, "node_modules").length + 1))
  if (leaves > 0) floor(`real text: leaves changed, of ${leaves}`, changed / leaves, 0.005, false, percent)
}

/**
 * What the engine costs a process that was just started: from V8's code cache, as lint-ai runs on Node (scripts/launcher.cjs; the compiled program holds
 * bytecode), and compiled from its source, as the first run of a version does, once. The cache is that of a run over another text: what only this one
 * needs is compiled in both.
 *
 * @type {(engine: string, tools: Tools) => Promise<void>}
 */
const cold = async (engine, tools) => {
  const child = join(work, "cold.cjs")
  const cache = join(work, "engine.cache")
  writeFileSync(engine, `(function (exports, require) {${inAscii(readFileSync(engine, "utf8"))}\n})`)
  writeFileSync(
    child,
    `const { readFileSync, writeFileSync } = require("node:fs")
const { Script } = require("node:vm")
const [filename, cache, how, file] = process.argv.slice(2)
const before = performance.now()
const cachedData = how === "cached" ? readFileSync(cache) : undefined
const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData })
const engine = {}
script.runInThisContext()(engine, require)
const imported = performance.now()
if (script.cachedDataRejected) throw new Error("the code cache was refused")
const text = readFileSync(file, "utf8")
const deadline = { budgetMs: Infinity, remainingMs: () => Infinity }
const start = performance.now()
engine.redactValue(text, "", { deadline })
console.log(imported - before, performance.now() - start)
if (how === "caching") writeFileSync(cache, script.createCachedData())
`
  )
  /** @type {(name: string, size: number) => string} */
  const ordinary = (name, size) => {
    const file = join(work, `${name}-${size}.txt`)
    writeFileSync(file, tools.ordinaryText(name, size))
    return file
  }
  /** @type {(how: string, file: string) => Array<number>} */
  const redacting = (how, file) => {
    const { stdout, stderr, status } = run([child, engine, cache, how, file])
    if (status !== 0) throw new Error(stderr)
    return stdout.split(" ").map(Number)
  }
  redacting("caching", ordinary("another", 64 * 1024))
  const sizes = [4 * 1024, 64 * 1024, 1024 * 1024]
  // Several texts of each size: what one of them happens to hold makes a first call a third dearer or cheaper.
  const texts = Array.from({ length: 5 }, (_, text) => sizes.map((size) => ordinary(`cold ${text}`, size)))
  const fromCache = "from the code cache"
  const ways = ["cached", "compiled"].map((how) => ({
    how,
    from: how === "cached" ? fromCache : "from source",
    imports: /** @type {Array<number>} */ ([]),
    calls: sizes.map(() => /** @type {Array<number>} */ ([]))
  }))
  /** @type {Array<number>} */
  const node = []
  const timed = stopwatch(work)
  const nothing = /** @type {const} */ ({
    command: bareNode.command,
    args: bareNode.args,
    cwd: work,
    env: environment,
    input: Buffer.alloc(0),
    stdin: "pipe"
  })
  for (let round = 0; round < rounds; round++) {
    node.push(await timed(nothing))
    for (const { how, imports, calls } of ways) {
      for (const [index, file] of (texts[round % texts.length] ?? []).entries()) {
        const [importing = 0, calling = 0] = redacting(how, file)
        imports.push(importing)
        calls[index]?.push(calling)
      }
    }
  }
  const unit = median(node)
  fact(`${bareNode.name}, ms`, unit.toFixed(1))
  for (const { from, imports, calls } of ways) {
    /** @type {(name: string, values: ReadonlyArray<number> | undefined, limit?: number) => void} */
    const judge = (name, values = [], limit) => {
      const row = `${name}, ${from} / ${bareNode.name}`
      const ratio = median(values) / unit
      if (limit === undefined) fact(row, ratio.toFixed(2))
      else speed(row, ratio, limit)
    }
    judge("import", imports, 0.25)
    judge("first call on 4 KiB", calls[0])
    // It is judged as lint-ai runs: from source a third of it is V8 compiling what the text needs (docs/redaction.md).
    judge("first call on 64 KiB", calls[1], from === fromCache ? 0.4 : undefined)
    judge("first call on 1 MiB", calls[2], 2)
  }
}

/** @type {(tools: Tools) => void} */
const warm = (tools) => {
  /** @type {(text: string) => number} */
  const time = (text) => {
    let best = Number.POSITIVE_INFINITY
    for (let round = 0; round < 3; round++) {
      const start = performance.now()
      tools.redactAll(text)
      best = Math.min(best, performance.now() - start)
    }
    return best
  }
  const mebibyte = 1024 * 1024
  const ordinary = time(tools.ordinaryText("warm", mebibyte))
  const four = time(tools.ordinaryText("warm", 4 * mebibyte))
  fact("1 MiB warm, ms", ordinary.toFixed(1))
  speed("4 MiB / 1 MiB", four / ordinary, 5)
  let worst = 0
  let worstName = ""
  let count = 0
  for (const [name, text] of tools.adversarialTexts(mebibyte)) {
    const cost = time(text) / ordinary
    count++
    if (cost > worst) {
      worst = cost
      worstName = name
    }
    if (cost > 10) console.error(`slow: ${JSON.stringify(name)} ${cost.toFixed(1)}`)
  }
  floor("adversarial texts", count, 40, true, String)
  speed(`worst of them (${JSON.stringify(worstName)}) / ordinary`, worst, 10)
}

const print = () => {
  const width = Math.max(...rows.map(([name]) => name.length))
  for (const [name, value, limit, state] of rows)
    console.log(`${name.padEnd(width)}  ${value.padStart(10)}  ${limit.padEnd(10)} ${state}`)
}

const write = () => {
  const file = join(root, "docs/redaction.md")
  const page = readFileSync(file, "utf8")
  const table = [
    "| measure | value | floor |",
    "| --- | ---: | --- |",
    ...rows.map(([name, value, limit]) => `| ${name} | ${value} | ${limit} |`)
  ].join("\n")
  writeFileSync(file, page.replace(/(<!-- figures -->\n)[\s\S]*?(<!-- \/figures -->)/, `$1\n${table}\n\n$2`))
}

try {
  const engine = await bundle(
    "engine",
    // The engine alone. Effect, which the deadline's module loads, is loaded by the hook whether it redacts or not.
    'export { redactValue } from "@/src/redaction/redactValue.ts"\n',
    "cjs"
  )
  const all = await import(
    pathToFileURL(
      await bundle(
        "tools",
        `export { drawCorpus } from "@/test/redaction/corpus/corpus.ts"
export { scoreCorpus } from "@/test/redaction/corpus/score.ts"
export { adversarialTexts } from "@/test/redaction/corpus/adversarial.ts"
export { ordinaryText } from "@/test/redaction/corpus/ordinary.ts"
export { makeRandom } from "@/test/redaction/corpus/random.ts"
export { randomJson } from "@/test/redaction/corpus/randomJson.ts"
import { redactValue } from "@/src/redaction/redactValue.ts"
import { wholeTextLimits } from "@/src/redaction/limits.ts"
import { unlimited } from "@/src/platform/Deadline.ts"
export const redact = (value) => redactValue(value, "", { deadline: unlimited }).value
export const redactAll = (value) => redactValue(value, "", { deadline: unlimited, limits: wholeTextLimits }).value
`,
        "esm"
      )
    ).href
  )
  await cold(engine, all)
  const kinds = quality(all)
  stability(all)
  realText(all)
  warm(all)
  print()
  for (const kind of kinds) console.log(kind)
  if (options.write) write()
} finally {
  rmSync(work, { recursive: true, force: true })
}
if (missed > 0) {
  console.error(`${missed} floors missed`)
  process.exitCode = 1
}
